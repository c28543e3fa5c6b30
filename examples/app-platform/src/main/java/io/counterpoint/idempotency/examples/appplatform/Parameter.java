package io.counterpoint.idempotency.examples.appplatform;

import static io.counterpoint.idempotency.examples.appplatform.Parameter.Where.BODY;
import static io.counterpoint.idempotency.examples.appplatform.Parameter.Where.HEADER;
import static io.counterpoint.idempotency.examples.appplatform.Parameter.Where.NUMBER;
import static io.counterpoint.idempotency.examples.appplatform.Parameter.Where.QUERY;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterpoint.idempotency.consistency.comparison.ComparisonReview.Decision;
import io.counterpoint.idempotency.examples.appplatform.http.Refusals;
import io.counterpoint.idempotency.examples.appplatform.usecase.PathMode;
import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A value that a route takes from a request, declared once. {@link Inputs} parses all of them, and refuses what no
 * parameter declares.
 *
 * @param where it is sent
 * @param name its name, in the case in which it has to be sent; headers have none
 * @param expected what it has to be, for messages
 * @param absent its value where it is not sent; empty if it has to be
 * @param pattern what its text matches
 * @param parser gives the value of such a text
 */
record Parameter<T>(
        Where where, String name, String expected, Optional<T> absent, Pattern pattern, Function<String, T> parser) {

    /** Where it is sent, and as what: all but a number are texts. */
    enum Where {
        QUERY,
        HEADER,
        BODY,
        NUMBER;

        boolean isBody() {
            return this == BODY || this == NUMBER;
        }
    }

    static final Parameter<Long> WORKSPACE =
            new Parameter<>(HEADER, "Workspace", "the number of a workspace", null, "[0-9]{1,18}", Long::valueOf);

    /** Its text is the key, so it is not to be written in two ways. */
    static final Parameter<String> TRANSACTION = new Parameter<>(
            HEADER,
            "Transaction-Id",
            "1 to 255 visible ASCII characters without quotes, commas, semicolons and backslashes",
            null,
            "[!-~&&[^\",;\\\\]]{1,255}",
            text -> text);

    static final Parameter<Boolean> DRY_RUN =
            new Parameter<>(QUERY, "dryRun", "true or false", false, "true|false", Boolean::valueOf);

    static final Parameter<String> WORDS =
            new Parameter<>(QUERY, "q", "a text of at most 100 characters", "", "(?s).{0,100}", text -> text);

    static final Parameter<String> NAME = new Parameter<>(
            BODY,
            "name",
            "a text of 1 to 100 characters, not all blank",
            null,
            "(?sU)(?=.{1,100}$)\\s*\\S.*",
            text -> text);

    private static final String UUIDS = "\\p{XDigit}{8}(-\\p{XDigit}{4}){3}-\\p{XDigit}{12}";

    static final Parameter<UUID> APP = new Parameter<>(BODY, "app", "a UUID", null, UUIDS, UUID::fromString);

    /** An app; where none is sent, all that are left. */
    static final Parameter<Optional<UUID>> APP_OR_REST =
            new Parameter<>(BODY, "app", "a UUID", Optional.empty(), UUIDS, text -> Optional.of(UUID.fromString(text)));

    static final Parameter<PathMode> MODE = new Parameter<>(
            BODY, "mode", "old, both or new", null, "old|both|new", text -> PathMode.valueOf(upper(text)));

    static final Parameter<Decision> DECISION = new Parameter<>(
            BODY, "right", "old, new or leave", null, "old|new|leave", text -> Decision.valueOf(upper(text)));

    static final Parameter<Long> AMOUNT = new Parameter<>(
            NUMBER, "amount", "a positive integer of at most 18 digits", null, "[1-9][0-9]{0,17}", Long::valueOf);

    private Parameter(
            Where where, String name, String expected, @Nullable T absent, String pattern, Function<String, T> parser) {
        this(where, name, expected, Optional.ofNullable(absent), Pattern.compile(pattern), parser);
    }

    /** The value of what was sent; null if nothing was. */
    T parse(@Nullable JsonNode sent) throws Refusal {
        if (sent == null) {
            return absent.orElseThrow(this::refused);
        }
        boolean isOfItsKind = where == NUMBER ? sent.isIntegralNumber() : sent.isTextual();
        // PostgreSQL stores no NUL, and half of a surrogate pair would be stored as a question mark.
        if (sent.isTextual()
                && (sent.textValue().indexOf('\0') >= 0 || !UTF_8.newEncoder().canEncode(sent.textValue()))) {
            throw Refusals.unstorable(name);
        }
        if (!isOfItsKind || !pattern.matcher(sent.asText()).matches()) {
            throw refused();
        }
        return parser.apply(sent.asText());
    }

    /** A client without a workspace is unknown. */
    Refusal refused() {
        if (equals(WORKSPACE)) {
            return Refusals.nobody();
        }
        String message = name + " must be sent once, as " + expected + ". Nothing was done.";
        return equals(TRANSACTION) ? Refusals.transactionId(message) : Refusals.malformed(message);
    }

    /** A UUID as it is written; {@link UUID#fromString} takes more. */
    static Optional<UUID> uuid(String text) {
        return text.matches(UUIDS) ? Optional.of(UUID.fromString(text)) : Optional.empty();
    }

    private static String upper(String text) {
        return text.toUpperCase(Locale.ROOT);
    }
}
