package io.counterpoint.idempotency.spring;

import java.sql.Connection;
import javax.sql.DataSource;

/** What joins the transactions of a {@link SpringIdempotencyStore}, besides plain JDBC. */
public abstract sealed class Participant permits JpaParticipant {

    Participant() {}

    /** Refuses a data source that is known to be another one. */
    abstract void requireFits(DataSource dataSource);

    /** Begins its part in the transaction of that connection. */
    abstract JoinedPart join(Connection connection);

    /** Whether that very object says that an optimistic lock did not hold. */
    abstract boolean isConflict(Throwable thrown);

    /** Whether that very object is thrown for what the database answered. */
    abstract boolean isFromDatabase(Throwable thrown);
}
