package io.counterpoint.idempotency.jdbc.session;

import io.counterpoint.idempotency.jdbc.spi.ErrorRules;
import io.counterpoint.idempotency.jdbc.spi.RecordRow;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.StoreException;
import java.sql.SQLException;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Finds the exception in a chain of causes that proves something. What a database error proves is decided by the rules
 * of that database.
 */
public final class SqlErrorClassifier {

    /** Limits the depth of cause chains, so that cycles terminate. */
    static final int DEPTH = 20;

    private static final int LENGTH = 5;

    /** SQLSTATE classes that drivers use for unknown errors. */
    private static final Set<String> GENERAL = Set.of("99", "HY", "50");

    private SqlErrorClassifier() {}

    /** Classifies an error of an unknown database. */
    public static Fault classify(Throwable thrown) {
        return classify(thrown, ErrorRules.STANDARD);
    }

    /**
     * By a database's rules. A driver error that proves nothing counts as a lost connection if the rollback after it failed
     * because of one: MySQL's driver reports a closed statement if a JDBC batch has lost its connection.
     */
    public static Fault classify(Throwable thrown, ErrorRules rules) {
        Fault fault = ofCauses(thrown, rules);
        return fault == Fault.UNRECOGNISED
                        && DatabaseErrors.isOfDriver(thrown)
                        && Stream.of(thrown.getSuppressed())
                                .anyMatch(also -> ofCauses(also, rules).equals(Fault.CONNECTION_LOST))
                ? Fault.CONNECTION_LOST
                : fault;
    }

    private static Fault ofCauses(Throwable thrown, ErrorRules rules) {
        Throwable at = thrown;
        for (int depth = 0; at != null && depth < DEPTH; depth++) {
            if (at instanceof StoreException known) {
                return known.fault();
            }
            if (RecordRow.isIllegible(at)) {
                return Fault.RECORD_UNREADABLE;
            }
            if (at instanceof SQLException sql) {
                Fault fault = rules.classify(sql);
                if (fault != Fault.UNRECOGNISED) {
                    return fault;
                }
            }
            at = at.getCause();
        }
        return Fault.UNRECOGNISED;
    }

    /** For a database that assigns a state to each of its own errors: even a nonstandard state means a rejection. */
    public static Fault refusedByClass(String state, Fault standard) {
        return standard == Fault.UNRECOGNISED && state.length() == LENGTH && !GENERAL.contains(state.substring(0, 2))
                ? Fault.STATEMENT_REFUSED
                : standard;
    }
}
