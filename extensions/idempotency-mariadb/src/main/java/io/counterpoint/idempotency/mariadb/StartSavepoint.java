package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.TransactionName;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The savepoint that is set when a transaction gets its first record, and never again in it. A deadlock rolls a transaction
 * back, and the next statement silently begins another, without the savepoint. So does a lock timeout where
 * {@code innodb_rollback_on_timeout} is on, and SQL text that commits or rolls back. There is none of that name at the start
 * of a transaction, so the name is always the same.
 *
 * <p>What a group of MySQL applies rolls back a transaction that is in its way between two statements. The next statement
 * fails, unless it sets a savepoint: that succeeds, in a new transaction. So on MySQL nothing that counts comes before the
 * savepoint, none is set after it, and InnoDB takes part in the transaction before: else the savepoint would outlive it.
 */
final class StartSavepoint {

    static final TransactionName NAME = new TransactionName("idempotency_transaction");
    static final String SET = "SAVEPOINT " + NAME;
    private static final String CONFLICT = "40001";
    static final String RELEASE = "RELEASE SAVEPOINT " + NAME;

    /** Opens tables of InnoDB and no snapshot, and needs no privilege. */
    private static final String TAKE_PART = "SELECT 1 FROM information_schema.SCHEMATA WHERE FALSE";

    private StartSavepoint() {}

    /** A step of a transaction. */
    interface Step<T> {
        T run() throws SQLException;
    }

    /** Sets it, and returns its name. */
    static TransactionName set(Connection connection, Server server) throws SQLException {
        if (server.rollsBackBetweenStatements()) {
            LockBound.execute(connection, TAKE_PART);
        }
        LockBound.execute(connection, server.block(Server.AUTOCOMMIT_OFF, SET).orElse(SET));
        return NAME;
    }

    /** The first step of a transaction, with the savepoint before or after it. */
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
     * Asks by the release, so only the last statement and the commit may follow.
     *
     * @throws SQLException a conflict, if the server has rolled back what still has its savepoint
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
