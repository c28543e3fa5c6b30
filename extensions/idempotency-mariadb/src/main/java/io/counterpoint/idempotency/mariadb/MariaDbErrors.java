package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.spi.Fault;
import java.sql.SQLException;
import java.util.Set;

/**
 * What the errors of MariaDB and MySQL prove. Many have the state {@code HY000}, or that of a different kind of error,
 * so the server's error number decides. A number that is not listed proves nothing beyond its state.
 */
final class MariaDbErrors {

    static final int DUPLICATE = 1062;
    private static final int PREVENTED_BY_OPTION = 1290;
    private static final int READ_ONLY_MODE = 1836;
    static final int DEADLOCK = 1213;
    static final int NO_SUCH_SAVEPOINT = 1305;
    /** No privilege for a statement on a table, or on one of its columns. */
    static final Set<Integer> DENIED = Set.of(1142, 1143);
    /** A column without a value or a default; a value that does not fit. */
    static final Set<Integer> VALUE_REFUSED = Set.of(1048, 1364, 1366);
    /** KILL QUERY; max_statement_time. They stop a block in the middle or at its end. */
    static final Set<Integer> KILLED = Set.of(1317, 1969);

    /** NOWAIT on MySQL, which ends only the statement. */
    static final int LOCKED_NOW = 3572;

    /** InnoDB rejected it, for example because it has no savepoint with a name that the server knows. */
    static final int REFUSED_BY_ENGINE = 1030;

    /**
     * MariaDB's driver has lost its connection and opened another one, possibly in the middle of a commit. The class of
     * this state would prove a rollback.
     */
    private static final String CONNECTED_AGAIN = "25S03";

    /** MySQL's driver sends no other statement while it has an open result that it streams. */
    private static final String STREAMING = "Streaming result set";

    private MariaDbErrors() {}

    /** Returns {@code standard} if the state is conclusive. */
    static Fault classify(SQLException thrown, Fault standard) {
        return switch (thrown.getErrorCode()) {
            // A deadlock; a row that changed since the transaction's snapshot. The server has rolled back.
            case DEADLOCK, 1020 -> Fault.CONFLICT;
            // A lock timeout; NOWAIT on MySQL.
            case 1205, LOCKED_NOW -> Fault.LOCK_TIMEOUT;
            // KILL QUERY; max_statement_time; max_execution_time.
            case 1317, 1969, 3024 -> Fault.CANCELLED;
            // Disk, memory, temporary files, locks, a user's statement quota.
            case 1021, 1037, 1038, 1041, 1114, 1135, 1206, 1226, 1637 -> Fault.CANCELLED;
            // Among others, a savepoint whose transaction the server has rolled back.
            case REFUSED_BY_ENGINE -> Fault.CANCELLED;
            case PREVENTED_BY_OPTION, READ_ONLY_MODE -> isReadOnly(thrown) ? Fault.CANCELLED : Fault.STATEMENT_REFUSED;
            // KILL; a session that was idle for too long; no connection for this user; a server that is shutting down.
            case 1927, 4031, 1203, 1053, 1077, 1079 -> Fault.CONNECTION_LOST;
            // A commit that failed inside the server. It may have reached other servers or the log.
            case 1180 -> Fault.CONNECTION_LOST;
            // A group member that is or was isolated rolls back transactions that wait for the group. The other members
            // may have received and may commit them, regardless of the state of the error.
            case 3100, 3101 -> Fault.CONNECTION_LOST;
            // No value for a column; a value that does not fit; a MySQL check constraint.
            case 1364, 1366, 3819 -> Fault.STATEMENT_REFUSED;
            default -> ofState(thrown, standard);
        };
    }

    /**
     * Whether the server is read-only, like a primary in the middle of a failover. An error contains the name of the
     * option that prevents a statement in every language; others are those such as {@code --secure-file-priv}.
     */
    static boolean isReadOnly(SQLException thrown) {
        return thrown.getErrorCode() == READ_ONLY_MODE
                || (thrown.getErrorCode() == PREVENTED_BY_OPTION
                        && String.valueOf(thrown.getMessage()).contains("-read-only"));
    }

    /** User routines raise states of class 45. The driver treats every unknown class as a lost connection. */
    private static Fault ofState(SQLException thrown, Fault standard) {
        String state = String.valueOf(thrown.getSQLState());
        if (state.equals(CONNECTED_AGAIN)) {
            return Fault.CONNECTION_LOST;
        }
        boolean isUnsent =
                state.equals("S1000") && String.valueOf(thrown.getMessage()).startsWith(STREAMING);
        return state.startsWith("45") || isUnsent ? Fault.STATEMENT_REFUSED : standard;
    }
}
