package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.TransactionName;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/**
 * The savepoint that is set when a transaction has got its first record, and never again in it. A deadlock rolls a
 * transaction back, and the next statement silently begins another, without the savepoint. So does a lock timeout where
 * {@code innodb_rollback_on_timeout} is on, and SQL text that commits or rolls back. There is none of that name at the start
 * of a transaction, so the name is always the same.
 */
final class StartSavepoint {

    static final TransactionName NAME = new TransactionName("idempotency_transaction");
    static final String SET = "SAVEPOINT " + NAME;
    private static final String CONFLICT = "40001";
    private static final String RELEASE = "RELEASE SAVEPOINT " + NAME;

    private StartSavepoint() {}

    /** Sets it, and returns its name. */
    static TransactionName set(Connection connection) throws SQLException {
        LockBound.execute(connection, SET);
        return NAME;
    }

    /** After an error that is answered otherwise. What the transaction has done before must not be gone with it. */
    static void requireThere(Connection connection, Server server) throws SQLException {
        if (!isThere(connection, server)) {
            throw new Dialect.Refusal(
                    "the server has rolled the transaction back while it waited for a lock, with all that it had claimed:"
                            + " a deadlock does that, and a lock timeout where innodb_rollback_on_timeout is ON",
                    CONFLICT,
                    null);
        }
    }

    /** A savepoint can only be looked for by its release. So it is set again. */
    static boolean isThere(Connection connection, Server server) throws SQLException {
        Optional<String> block = server.block(RELEASE, SET);
        if (block.isPresent()) {
            return released(connection, block.get());
        }
        return wasThere(connection) && set(connection).equals(NAME);
    }

    /** The same before the commit: nothing asks after it, so it stays released. */
    static boolean wasThere(Connection connection) throws SQLException {
        return released(connection, RELEASE);
    }

    private static boolean released(Connection connection, String sql) throws SQLException {
        try {
            LockBound.execute(connection, sql);
            return true;
        } catch (SQLException thrown) {
            if (thrown.getErrorCode() == MariaDbErrors.NO_SUCH_SAVEPOINT) {
                return false;
            }
            throw thrown;
        }
    }
}
