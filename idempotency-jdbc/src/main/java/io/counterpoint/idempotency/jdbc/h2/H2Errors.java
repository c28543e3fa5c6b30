package io.counterpoint.idempotency.jdbc.h2;

import io.counterpoint.idempotency.jdbc.session.SqlErrorClassifier;
import io.counterpoint.idempotency.spi.Fault;
import java.sql.SQLException;
import java.util.Set;

/** What H2's errors prove. */
final class H2Errors {

    /** No such schema, no right. */
    private static final Set<String> OUT_OF_REACH = Set.of("90079", "90096");

    private H2Errors() {}

    static boolean isOutOfReach(SQLException thrown) {
        return OUT_OF_REACH.contains(String.valueOf(thrown.getSQLState()));
    }

    /** Returns {@code standard} where H2 follows the standard. */
    static Fault classify(SQLException thrown, Fault standard) {
        String state = String.valueOf(thrown.getSQLState());
        return switch (state) {
            case "90131" -> Fault.CONFLICT;
            case "HYT00" -> Fault.LOCK_TIMEOUT;
            case "57014" -> Fault.CANCELLED;
            // The session or the database was closed.
            case "90067", "90098", "90121" -> Fault.CONNECTION_LOST;
            default -> SqlErrorClassifier.refusedByClass(state, standard);
        };
    }
}
