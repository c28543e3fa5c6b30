package io.counterpoint.idempotency.jdbc;

import static io.counterpoint.idempotency.IdempotencyKey.MAX_LENGTH;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.jdbc.session.DatabaseErrors;
import io.counterpoint.idempotency.jdbc.spi.ClaimOptions;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Failed;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Checks that records are read back as they were written, using the statements, session and columns of calls.
 * Encodings, types that truncate or pad, and session modes can prevent that. Nothing of the probe is committed.
 */
final class StoredProbe {

    /** States of errors that do not concern values: constraints, privileges, and rows that a policy or view hides. */
    private static final Set<String> NOT_OF_VALUES = Set.of("23", "42", "44");

    private static final String LONG = "\u4e2d";

    /** A four-byte character and characters that are special in SQL or patterns. */
    private static final String ODD = "\ud83d\udcb3'\"\\%_";

    private static final Protocol ANY = EnumSet.allOf(Protocol.class).iterator().next();

    private StoredProbe() {}

    /** Returns what is wrong; nothing if the probe could not be written for another reason. */
    static List<String> faults(Connection connection, Dialect dialect, boolean boundedBySession) throws SQLException {
        boolean autoCommit = connection.getAutoCommit();
        connection.setAutoCommit(false);
        try {
            return differs(connection, dialect, boundedBySession)
                    ? List.of(fault("a different value is read back"))
                    : List.of();
        } catch (SQLException refused) {
            String state = String.valueOf(refused.getSQLState());
            if (DatabaseErrors.NOT_READY.equals(state) && refused instanceof Dialect.Refusal) {
                return List.of(String.valueOf(refused.getMessage()));
            }
            boolean isOfValues = dialect.classify(refused) == Fault.STATEMENT_REFUSED
                    && NOT_OF_VALUES.stream().noneMatch(state::startsWith);
            return isOfValues ? List.of(fault("the database reports: " + refused.getMessage())) : List.of();
        } finally {
            connection.rollback();
            connection.setAutoCommit(autoCommit);
        }
    }

    private static String fault(String what) {
        return "a test record cannot be stored unchanged (" + what + "). Give its text columns a variable length (type"
                + " text if the database counts bytes), and give the database, the columns and the session an encoding"
                + " that covers all characters, such as UTF8 or utf8mb4";
    }

    private static boolean differs(Connection connection, Dialect dialect, boolean boundedBySession)
            throws SQLException {
        ClaimOptions options = new ClaimOptions(Duration.ofDays(1), Dialect.LOCK_WAIT, false, false);
        options = boundedBySession ? options.boundBySession() : options;
        for (IdempotencyRecord record : records()) {
            options = options.in(options.transaction().or(dialect.insert(connection, record, options)::transaction));
            Optional<IdempotencyRecord> read = dialect.read(connection, record.key());
            if (read.isPresent() && !read.get().equals(record)) {
                return true;
            }
        }
        return false;
    }

    /** The longest texts, a text that ends with a space, and empty values. */
    private static List<IdempotencyRecord> records() {
        Failure longest = new Failure(longest("", Failure.MAX_CODE_LENGTH), longest("", Failure.MAX_MESSAGE_LENGTH));
        return List.of(
                failed(longest),
                failed(new Failure("code ", "")),
                succeeded(Optional.of(Payload.of(new byte[0]))),
                succeeded(Optional.empty()));
    }

    private static IdempotencyRecord failed(Failure failure) {
        return new Failed(key(), ANY, UUID.randomUUID(), Fingerprint.ofParts(), failure);
    }

    private static IdempotencyRecord succeeded(Optional<Payload> result) {
        return new Succeeded(key(), ANY, UUID.randomUUID(), Fingerprint.ofParts(), result);
    }

    private static IdempotencyKey key() {
        return IdempotencyKey.inScope(longest("scope", MAX_LENGTH))
                .operation(longest("operation", MAX_LENGTH))
                .value(longest(UUID.randomUUID().toString(), MAX_LENGTH));
    }

    private static String longest(String begin, int length) {
        return begin + LONG.repeat(length - begin.length() - ODD.length()) + ODD;
    }
}
