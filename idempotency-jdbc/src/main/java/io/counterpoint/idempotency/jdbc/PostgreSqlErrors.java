package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.Fault;
import java.sql.SQLException;
import java.util.Set;

/** The meaning of PostgreSQL's errors at the steps of this library. */
final class PostgreSqlErrors {

    private static final String NOT_A_BOOLEAN = "22P02";

    private static final String LOCK_NOT_GIVEN = "55P03";
    private static final String CANCELLED = "57014";

    /** No such table, no such schema, no right. */
    private static final Set<String> OUT_OF_REACH = Set.of("42P01", "3F000", "42501");

    private PostgreSqlErrors() {}

    /**
     * A rival of the key holds a row, which the server names. A claim that waited for anything else has met no rival.
     */
    static SQLException ofClaim(SQLException thrown) {
        return LOCK_NOT_GIVEN.equals(thrown.getSQLState())
                        && PgDriver.isOfServer(thrown)
                        && !PgDriver.hasContext(thrown)
                ? new SQLException(
                        "the claim waited for a lock, and not for another claim of its key", CANCELLED, thrown)
                : thrown;
    }

    /** At a mark, of a table that the same transaction has reached before. */
    static SQLException reached(SQLException thrown, IdempotencyKey key) {
        if (OUT_OF_REACH.contains(String.valueOf(thrown.getSQLState())) && !PgDriver.hasContext(thrown)) {
            throw new StoreException(
                    key + ": the table of the record was reached before the work and is out of reach after it: the work"
                            + " has changed search_path or role. Leave both as they are, or name the table with its"
                            + " schema by withTable and give the role its rights",
                    Fault.STATEMENT_REFUSED,
                    thrown);
        }
        return thrown;
    }

    /** Whether a statement of this library has raised the error, since it would change no record. */
    static boolean isRaisedByUs(SQLException thrown) {
        return NOT_A_BOOLEAN.equals(thrown.getSQLState())
                && String.valueOf(thrown.getMessage()).contains(PostgreSqlStatements.UNCHANGED);
    }
}
