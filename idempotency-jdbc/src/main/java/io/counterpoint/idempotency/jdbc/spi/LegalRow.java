package io.counterpoint.idempotency.jdbc.spi;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What belongs together in a row. It is checked when a row is read, and not by the table. */
final class LegalRow {

    /** A data exception. */
    static final String ILLEGIBLE = "22000";

    /** The bytes of a fingerprint. */
    private static final int FINGERPRINT = 32;

    private LegalRow() {}

    static Fingerprint fingerprint(byte @Nullable [] digest) throws SQLException {
        if (digest == null || digest.length != FINGERPRINT) {
            throw illegible("the record's fingerprint has " + FINGERPRINT + " bytes, found "
                    + (digest == null ? "none" : digest.length) + ".");
        }
        return Fingerprint.fromBytes(digest);
    }

    /**
     * A failure has no result, and no other state has a failure's code or message. A code or message that is missing was
     * empty: some databases take that for NULL.
     */
    static Optional<Failure> failure(
            String state, Optional<Payload> payload, @Nullable String code, @Nullable String message)
            throws SQLException {
        boolean failed = state.equals("F");
        if (failed ? payload.isPresent() : code != null || message != null) {
            throw illegible(
                    "a record in state F has no result, and one in state P or S has neither a failure's code nor its"
                            + " message; found state '" + state + "' "
                            + with(code) + " code, " + with(message) + " message, " + with(payload.orElse(null))
                            + " result. Correct the row; its call has changed nothing.");
        }
        return failed
                ? Optional.of(
                        new Failure(Objects.requireNonNullElse(code, ""), Objects.requireNonNullElse(message, "")))
                : Optional.empty();
    }

    private static String with(@Nullable Object value) {
        return value == null ? "without" : "with";
    }

    /** For a row that this library did not write. */
    static SQLException illegible(String what) {
        return new Dialect.Refusal(what, ILLEGIBLE, null);
    }
}
