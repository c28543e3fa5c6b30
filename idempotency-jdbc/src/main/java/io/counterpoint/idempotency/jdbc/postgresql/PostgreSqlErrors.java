package io.counterpoint.idempotency.jdbc.postgresql;

import io.counterpoint.idempotency.jdbc.session.DatabaseErrors;
import io.counterpoint.idempotency.jdbc.session.SqlErrorClassifier;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.spi.Fault;
import java.sql.SQLException;
import java.util.Set;
import java.util.regex.Pattern;

/** The meaning of PostgreSQL's errors in the steps of this library. */
public final class PostgreSqlErrors {

    private static final String NO_SUCH_SETTING = "42704";

    private static final int LENGTH = 5;
    private static final String DEADLOCK = "40P01";
    private static final String LOCK_NOT_GIVEN = "55P03";
    private static final String CANCELLED = "57014";
    private static final String NOT_SUPPORTED = "0A000";

    /** No such table, no such schema, missing privilege. */
    private static final Set<String> OUT_OF_REACH = Set.of("42P01", "3F000", "42501");

    /**
     * The location of a row, which contexts contain in every language. Tables and transactions have a single number.
     */
    private static final Pattern ROW = Pattern.compile("\\([0-9]+,[0-9]+\\)");

    private PostgreSqlErrors() {}

    /** Returns what an error proves: {@code standard} where PostgreSQL follows the standard. */
    static Fault classify(SQLException thrown, Fault standard) {
        String state = String.valueOf(thrown.getSQLState());
        return switch (state) {
            case DEADLOCK -> Fault.CONFLICT;
            case LOCK_NOT_GIVEN -> Fault.LOCK_TIMEOUT;
            case CANCELLED -> Fault.CANCELLED;
            // The tables of a prepared statement have changed. It is prepared again in the next transaction.
            case NOT_SUPPORTED -> PgDriver.isOfStalePlan(thrown) ? Fault.CONFLICT : standard;
            // The server terminated a session that was idle for too long.
            case "25P03", "25P04" -> Fault.CONNECTION_LOST;
            default ->
                switch (state.length() == LENGTH ? state.substring(0, 2) : "") {
                    // An operator has intervened.
                    case "57" -> Fault.CONNECTION_LOST;
                    // Server resources and files.
                    case "53", "58" -> Fault.CANCELLED;
                    default -> SqlErrorClassifier.refusedByClass(state, standard);
                };
        };
    }

    /**
     * A competing call holds a row, which the server names. A claim that waited for anything else has no competitor.
     */
    public static SQLException ofClaim(SQLException thrown) {
        if (isRaised(thrown, PostgreSqlStatements.NO_BOUND)) {
            return new Dialect.Refusal(
                    "the session has no lock_timeout, so a duplicate could wait indefinitely: set one on the role, by"
                            + " ALTER ROLE … SET lock_timeout = '2s', or remove lockTimeoutOfSession",
                    DatabaseErrors.NOT_READY,
                    thrown);
        }
        return LOCK_NOT_GIVEN.equals(thrown.getSQLState())
                        && PgDriver.isOfServer(thrown)
                        && PgDriver.context(thrown)
                                .filter(where -> ROW.matcher(where).find())
                                .isEmpty()
                ? new SQLException("the claim waited for a lock other than a claim of its key", CANCELLED, thrown)
                : thrown;
    }

    /** For a mark, whose table the same transaction has already accessed. */
    public static SQLException reached(SQLException thrown) {
        if (OUT_OF_REACH.contains(String.valueOf(thrown.getSQLState()))
                && PgDriver.context(thrown).isEmpty()) {
            return new Dialect.Refusal(
                    "the table of the record is out of reach after the work, but was reachable before it: the work"
                            + " has changed search_path or role. Leave both unchanged, or qualify the table with its"
                            + " schema by table(…) of the builder and grant the role its privileges",
                    thrown.getSQLState(),
                    thrown);
        }
        return thrown;
    }

    /** Whether a statement of this library raised the error because it would have changed no record. */
    public static boolean isRaisedByUs(SQLException thrown) {
        return isRaised(thrown, PostgreSqlStatements.UNCHANGED);
    }

    private static boolean isRaised(SQLException thrown, String name) {
        return NO_SUCH_SETTING.equals(thrown.getSQLState())
                && String.valueOf(thrown.getMessage()).contains(name);
    }
}
