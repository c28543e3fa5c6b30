package io.counterpoint.idempotency.jdbc.session;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.MisuseException;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import io.counterpoint.idempotency.spi.Characters;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;

/** The turn of a key: a database lock on a number, held until the transaction ends. */
public final class Turn {

    private Turn() {}

    /**
     * Returns whether this transaction has the turn. If two keys share a number, a caller merely waits unnecessarily.
     */
    static boolean take(Connection connection, Dialect dialect, IdempotencyKey key) throws SQLException {
        return take(connection, dialect, number(dialect.table(), key));
    }

    /**
     * Takes a turn that belongs to no key, on a connection with autocommit.
     *
     * @param connection the connection
     * @param dialect the dialect of the database
     * @throws SQLException if the role may not take turns
     * @throws MisuseException if the database has no turns
     */
    public static void require(Connection connection, Dialect dialect) throws SQLException {
        boolean unused = take(connection, dialect, 0);
    }

    private static boolean take(Connection connection, Dialect dialect, long number) throws SQLException {
        String query = dialect.turn()
                .orElseThrow(() -> new MisuseException(
                        "turnAcrossProcesses(true) needs a database with transaction-level advisory locks, but "
                                + dialect.getClass().getSimpleName() + " has none: use PostgreSQL, or remove the"
                                + " option."));
        return Sql.prepared(connection, query, statement -> {
            statement.setLong(1, number);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() && rows.getBoolean(1);
            }
        });
    }

    /**
     * 64 bits of a digest: the same in every process for a key of a table, and almost never shared with another key.
     */
    private static long number(RecordTable table, IdempotencyKey key) {
        try {
            // Statements do not quote the name, so its case is insignificant.
            byte[] whole =
                    (Characters.lowerCaseAscii(table.toString()) + "#" + key.hash()).getBytes(StandardCharsets.UTF_8);
            return ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(whole))
                    .getLong();
        } catch (NoSuchAlgorithmException everyJdkHasIt) {
            throw new IllegalStateException(everyJdkHasIt);
        }
    }
}
