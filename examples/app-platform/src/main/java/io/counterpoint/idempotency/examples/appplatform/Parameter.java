package io.counterpoint.idempotency.examples.appplatform;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterpoint.idempotency.consistency.comparison.Side;
import io.counterpoint.idempotency.examples.appplatform.usecase.PathMode;
import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A value that a route takes from a request, declared once. {@link Inputs} parses all of them, and refuses what no
 * parameter declares.
 *
 * @param where it is sent
 * @param name its name, in the case in which it has to be sent; headers have none
 * @param expected what it has to be, for messages
 * @param absent its value where it is not sent; empty if it has to be
 * @param parser gives its value, or nothing if the text is not exactly what is expected
 * @param refusal what is answered then, by the message
 */
record Parameter<T>(
        Where where,
        String name,
        String expected,
        Optional<T> absent,
        Function<JsonNode, Optional<T>> parser,
        Function<String, Refusal> refusal) {

    /** Where it is sent. Texts of queries and headers are taken as JSON texts are. */
    enum Where {
        QUERY,
        HEADER,
        BODY
    }

    /** A client without a workspace is unknown. */
    static final Parameter<Long> WORKSPACE = new Parameter<>(
            Where.HEADER,
            "Workspace",
            "the number of a workspace",
            Optional.empty(),
            value -> matching(value, "[0-9]{1,18}").map(Long::valueOf),
            message -> Refusals.nobody());

    static final Parameter<Long> MIN_VERSION = new Parameter<>(
            Where.HEADER,
            "Min-Version",
            "a number of at most 18 digits",
            Optional.of(0L),
            value -> matching(value, "0|[1-9][0-9]{0,17}").map(Long::valueOf),
            Refusals::malformed);

    /** Its text is the key, so it is not to be written in two ways. */
    static final Parameter<String> TRANSACTION = new Parameter<>(
            Where.HEADER,
            "Transaction-Id",
            "1 to 255 visible ASCII characters without quotes, commas, semicolons and backslashes",
            Optional.empty(),
            value -> matching(value, "[!-~&&[^\",;\\\\]]{1,255}"),
            Refusals::transactionId);

    static final Parameter<Boolean> DRY_RUN = new Parameter<>(
            Where.QUERY,
            "dryRun",
            "true or false",
            Optional.of(false),
            value -> matching(value, "true|false").map(Boolean::valueOf),
            Refusals::malformed);

    static final Parameter<String> WORDS = new Parameter<>(
            Where.QUERY,
            "q",
            "a text of at most 100 characters",
            Optional.of(""),
            value -> text(value, 0),
            Refusals::malformed);

    static final Parameter<String> NAME = new Parameter<>(
            Where.BODY,
            "name",
            "a text of 1 to 100 characters, not all blank",
            Optional.empty(),
            value -> text(value, 1).filter(text -> !text.isBlank()),
            Refusals::malformed);

    static final Parameter<UUID> APP = new Parameter<>(
            Where.BODY, "app", "a UUID", Optional.empty(), value -> uuid(value.textValue()), Refusals::malformed);

    /** An app; where none is sent, all that are left. */
    static final Parameter<Optional<UUID>> APP_OR_REST = new Parameter<>(
            Where.BODY,
            "app",
            "a UUID",
            Optional.of(Optional.empty()),
            value -> uuid(value.textValue()).flatMap(app -> Optional.of(Optional.of(app))),
            Refusals::malformed);

    static final Parameter<PathMode> MODE = new Parameter<>(
            Where.BODY,
            "mode",
            "old, both or new",
            Optional.empty(),
            value -> matching(value, "old|both|new").map(mode -> PathMode.valueOf(mode.toUpperCase(Locale.ROOT))),
            Refusals::malformed);

    static final Parameter<Side> SIDE = new Parameter<>(
            Where.BODY,
            "right",
            "old or new",
            Optional.empty(),
            value -> matching(value, "old|new").map(side -> Side.valueOf(side.toUpperCase(Locale.ROOT))),
            Refusals::malformed);

    static final Parameter<Long> AMOUNT = new Parameter<>(
            Where.BODY,
            "amount",
            "a positive integer",
            Optional.empty(),
            value -> value.isIntegralNumber() && value.canConvertToLong() && value.longValue() > 0
                    ? Optional.of(value.longValue())
                    : Optional.empty(),
            Refusals::malformed);

    /** The value of what was sent. */
    T parse(JsonNode value) throws Refusal {
        if (value.isTextual() && !isStorable(value.textValue())) {
            throw Refusals.unstorable(name);
        }
        Optional<T> parsed = parser.apply(value);
        if (parsed.isEmpty()) {
            throw refused();
        }
        return parsed.get();
    }

    /** The value where nothing was sent. */
    T missing() throws Refusal {
        if (absent.isEmpty()) {
            throw refused();
        }
        return absent.get();
    }

    Refusal refused() {
        return refusal.apply(name + " has to be sent once, as " + expected + ". Nothing was done.");
    }

    /** A UUID as it is written; {@link UUID#fromString} takes more. */
    static Optional<UUID> uuid(@Nullable String text) {
        return text != null && text.matches("\\p{XDigit}{8}(-\\p{XDigit}{4}){3}-\\p{XDigit}{12}")
                ? Optional.of(UUID.fromString(text))
                : Optional.empty();
    }

    private static Optional<String> matching(JsonNode value, String pattern) {
        return Optional.ofNullable(value.textValue()).filter(text -> text.matches(pattern));
    }

    private static Optional<String> text(JsonNode value, int least) {
        return Optional.ofNullable(value.textValue()).filter(text -> text.length() >= least && text.length() <= 100);
    }

    /** PostgreSQL stores no NUL, and a lone surrogate would be stored as a question mark. */
    private static boolean isStorable(String text) {
        return text.indexOf('\0') < 0 && UTF_8.newEncoder().canEncode(text);
    }
}
