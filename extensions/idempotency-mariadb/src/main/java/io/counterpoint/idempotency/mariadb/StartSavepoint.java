package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.TransactionName;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The savepoint that is set once per transaction, with its first record. A deadlock rolls back a transaction, and the
 * next statement silently begins another one without the savepoint. So do a lock timeout with {@code
 * innodb_rollback_on_timeout}, and SQL text that commits or rolls back. No savepoint with that name exists at the start
 * of a transaction, so the name is always the same.
 *
 * <p>Changes applied by a MySQL group roll back a conflicting transaction between two statements. The next statement
 * fails, unless it sets a savepoint, which succeeds in a new transaction. On MySQL, therefore, nothing that counts
 * precedes the savepoint, no other is set after it, and InnoDB joins the transaction first, because otherwise the
 * savepoint would outlive it.
 */
final class StartSavepoint {

    static final TransactionName NAME = new TransactionName("idempotency_transaction");
    static final String SET = "SAVEPOINT " + NAME;
    private static final String CONFLICT = "40001";
    static final String RELEASE = "RELEASE SAVEPOINT " + NAME;

    /** Opens InnoDB tables without a snapshot, and needs no privilege. */
    private static final String TAKE_PART = "SELECT 1 FROM information_schema.SCHEMATA WHERE FALSE";

    private StartSavepoint() {}

    /** A step of a transaction. */
    interface Step<T> {
        T run() throws SQLException;
    }

    /** Sets the savepoint and returns its name. */
    static TransactionName set(Connection connection, Server server) throws SQLException {
        if (server.rollsBackBetweenStatements()) {
            LockBound.execute(connection, TAKE_PART);
        }
        LockBound.execute(connection, server.block(Server.AUTOCOMMIT_OFF, SET).orElse(SET));
        return NAME;
    }

    /** Runs the first step of a transaction, with the savepoint before or after it. */
    static <T> T with(Connection connection, Server server, Step<T> first) throws SQLException {
        if (server.rollsBackBetweenStatements()) {
            TransactionName unused = set(connection, server);
            return first.run();
        }
        T answer = first.run();
        TransactionName unused = set(connection, server);
        return answer;
    }

    static SQLException rolledBack(String when, @Nullable SQLException cause) {
        return new Dialect.Refusal(
                "the server has rolled the transaction back " + when + ", including everything it had claimed",
                CONFLICT,
                cause);
    }

    /**
     * Checks by releasing the savepoint, so only the last statement and the commit may follow.
     *
     * @throws SQLException a conflict, if the server has rolled back a transaction whose savepoint still exists
     */
    static boolean wasThere(Connection connection) throws SQLException {
        try {
            LockBound.execute(connection, RELEASE);
            return true;
        } catch (SQLException thrown) {
            return switch (thrown.getErrorCode()) {
                case MariaDbErrors.NO_SUCH_SAVEPOINT -> false;
                case MariaDbErrors.REFUSED_BY_ENGINE ->
                    throw rolledBack("because of a transaction that its group had committed", thrown);
                default -> throw thrown;
            };
        }
    }
}
