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
 * A declared parameter of a route. {@link Inputs} parses all of them, and refuses anything that no parameter declares.
 *
 * @param where the part of the request that contains it
 * @param name its case-sensitive name; header names are case-insensitive
 * @param expected describes valid values, for messages
 * @param absent the default value; empty if the parameter is required
 * @param pattern the pattern that its text must match
 * @param parser converts such a text to a value
 */
record Parameter<T>(
        Where where, String name, String expected, Optional<T> absent, Pattern pattern, Function<String, T> parser) {

    /** The part of the request that contains it, and its type: everything but a number is a text. */
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

    /** Its text is the key, so there must be only one way to write it. */
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

    /** An app; if absent, all remaining apps. */
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

    /** Parses what was sent; null if the parameter was absent. */
    T parse(@Nullable JsonNode sent) throws Refusal {
        if (sent == null) {
            return absent.orElseThrow(this::refused);
        }
        boolean isOfItsKind = where == NUMBER ? sent.isIntegralNumber() : sent.isTextual();
        // PostgreSQL cannot store NUL, and an unpaired surrogate would be stored as a question mark.
        if (sent.isTextual()
                && (sent.textValue().indexOf('\0') >= 0 || !UTF_8.newEncoder().canEncode(sent.textValue()))) {
            throw Refusals.unstorable(name);
        }
        if (!isOfItsKind || !pattern.matcher(sent.asText()).matches()) {
            throw refused();
        }
        return parser.apply(sent.asText());
    }

    /** A client without a workspace is unauthenticated. */
    Refusal refused() {
        if (equals(WORKSPACE)) {
            return Refusals.nobody();
        }
        String message = name + " must be sent once, as " + expected + ". Nothing was done.";
        return equals(TRANSACTION) ? Refusals.transactionId(message) : Refusals.malformed(message);
    }

    /** Parses a UUID in its canonical form only; {@link UUID#fromString} accepts more. */
    static Optional<UUID> uuid(String text) {
        return text.matches(UUIDS) ? Optional.of(UUID.fromString(text)) : Optional.empty();
    }

    private static String upper(String text) {
        return text.toUpperCase(Locale.ROOT);
    }
}
