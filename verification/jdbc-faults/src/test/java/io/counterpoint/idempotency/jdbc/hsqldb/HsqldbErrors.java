package io.counterpoint.idempotency.jdbc.hsqldb;

import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.spi.Fault;
import java.sql.SQLException;
import java.time.Duration;

/** What HSQLDB's errors prove, beyond the standard. A state that is not listed proves what the standard says. */
final class HsqldbErrors {

    private static final String DUPLICATE = "23505";

    /** Of a statement that was cancelled. The engine itself has no bound for waits, so it has no state for one. */
    private static final String CANCELLED = "40502";

    /** The dialect's own. */
    private static final String BOUND_REACHED = "HYT00";

    private HsqldbErrors() {}

    /** Returns {@code standard} where HSQLDB follows the standard. */
    static Fault classify(SQLException thrown, Fault standard) {
        return switch (String.valueOf(thrown.getSQLState())) {
            case BOUND_REACHED -> Fault.LOCK_TIMEOUT;
            case CANCELLED -> Fault.CANCELLED;
            // A row that another transaction has changed.
            case "40501" -> Fault.CONFLICT;
            // What a routine of the user's raises.
            case "45000" -> Fault.STATEMENT_REFUSED;
            default -> standard;
        };
    }

    static boolean isDuplicate(SQLException thrown) {
        return DUPLICATE.equals(thrown.getSQLState());
    }

    static boolean isCancelled(SQLException thrown) {
        return CANCELLED.equals(thrown.getSQLState());
    }

    static SQLException boundReached(Duration wait, SQLException thrown) {
        return new Dialect.Refusal(
                "expected the record's lock within " + wait.toMillis()
                        + " ms, and another transaction kept it: call again later",
                BOUND_REACHED,
                thrown);
    }
}
