package io.counterpoint.idempotency.jdbc.postgresql;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.postgresql.jdbc.AutoSave;
import org.postgresql.util.PSQLException;
import org.postgresql.util.PSQLWarning;
import org.postgresql.util.ServerErrorMessage;

/** What pgjdbc knows without a round trip. Its classes are loaded only if that driver is present. */
public final class PgDriver {

    private static final String MESSAGE = "00000";
    private static final String WARNING = "01000";
    private static final boolean PRESENT = isPresent();

    private PgDriver() {}

    private static boolean isPresent() {
        try {
            return BaseConnection.class.isInterface();
        } catch (NoClassDefFoundError absent) {
            return false;
        }
    }

    static boolean isKnown(Connection connection) throws SQLException {
        return PRESENT && connection.isWrapperFor(BaseConnection.class);
    }

    /**
     * Whether several statements can be sent in one exchange. A driver that sets a savepoint for each exchange, and
     * releases it afterwards, would not find it again after a transaction ended in between.
     */
    static boolean sendsTogether(Connection connection) throws SQLException {
        return isKnown(connection) && Known.autosave(connection) == AutoSave.NEVER;
    }

    static boolean isFailed(Connection connection) throws SQLException {
        return Known.state(connection) == TransactionState.FAILED;
    }

    /** Whether a COPY is open, for whose end the driver would wait without a limit. */
    static boolean isCopying(Connection connection) throws SQLException {
        return isKnown(connection) && Known.isCopying(connection);
    }

    /**
     * Whether a transaction has begun on the server; false if another driver does not report it. Rejects a database
     * whose encoding, which the driver also knows, does not cover all characters.
     */
    public static boolean hasBegun(Connection connection) throws SQLException {
        if (!isKnown(connection)) {
            return false;
        }
        PostgreSqlServer.requireEncoding(Known.parameter(connection, "server_encoding"));
        return Known.state(connection) != TransactionState.IDLE;
    }

    /** The search path, which servers report from version 18 on. */
    static Optional<String> searchPath(Connection connection) throws SQLException {
        return isKnown(connection) ? Optional.ofNullable(Known.parameter(connection, "search_path")) : Optional.empty();
    }

    /**
     * Where the error occurred: a row, a function, a constraint and, since PostgreSQL 19, each lock that was waited
     * for. It is in the language of the server. Errors of a statement's own tables have none.
     */
    static Optional<String> context(SQLException thrown) {
        return PRESENT ? Known.message(thrown).map(ServerErrorMessage::getWhere) : Optional.empty();
    }

    /** The violated constraint, if the driver reports it. */
    static Optional<String> constraint(SQLException thrown) {
        return PRESENT ? Known.message(thrown).map(ServerErrorMessage::getConstraint) : Optional.empty();
    }

    static boolean isOfStalePlan(SQLException thrown) {
        return PRESENT
                && Known.message(thrown)
                        .filter(message -> "RevalidateCachedQuery".equals(message.getRoutine()))
                        .isPresent();
    }

    /** Whether the driver provides what {@link #context} needs. */
    static boolean isOfServer(SQLException thrown) {
        return PRESENT && Known.message(thrown).isPresent();
    }

    /**
     * Whether a warning comes from the domain, such as from a deferred trigger, rather than from the server about the
     * commit: a message below the severity of a warning, or one from {@code RAISE WARNING}. Severity and text are
     * localized; the state and the routine are not.
     */
    static boolean isHarmless(SQLWarning warning) {
        return MESSAGE.equals(warning.getSQLState())
                || (WARNING.equals(warning.getSQLState()) && PRESENT && Known.isRaisedByFunction(warning));
    }

    /** A separate class, so that it is loaded only after the check for the driver. */
    private static final class Known {
        static TransactionState state(Connection connection) throws SQLException {
            return connection.unwrap(BaseConnection.class).getTransactionState();
        }

        /**
         * Begins as a statement does, but cannot wait, because the thread is interrupted. Inside a transaction, nothing
         * is sent or read, so the interrupt ends nothing else. Without one, a COPY is open only under autocommit, which
         * the work must have turned on itself, so the driver is not asked.
         */
        static boolean isCopying(Connection connection) throws SQLException {
            if (state(connection) == TransactionState.IDLE) {
                return connection.unwrap(BaseConnection.class).getAutoCommit();
            }
            boolean interrupted = Thread.interrupted();
            Thread.currentThread().interrupt();
            try {
                connection.unwrap(BaseConnection.class).getQueryExecutor().processNotifies();
                return false;
            } catch (SQLException waits) {
                return true;
            } finally {
                boolean unused = Thread.interrupted();
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }

        static @Nullable String parameter(Connection connection, String name) throws SQLException {
            return connection.unwrap(BaseConnection.class).getQueryExecutor().getParameterStatus(name);
        }

        static AutoSave autosave(Connection connection) throws SQLException {
            return connection.unwrap(BaseConnection.class).getQueryExecutor().getAutoSave();
        }

        static boolean isRaisedByFunction(SQLWarning warning) {
            return warning instanceof PSQLWarning known
                    && "exec_stmt_raise".equals(known.getServerErrorMessage().getRoutine())
                    && "pl_exec.c".equals(known.getServerErrorMessage().getFile());
        }

        static Optional<ServerErrorMessage> message(SQLException thrown) {
            return thrown instanceof PSQLException known
                    ? Optional.ofNullable(known.getServerErrorMessage())
                    : Optional.empty();
        }
    }
}
