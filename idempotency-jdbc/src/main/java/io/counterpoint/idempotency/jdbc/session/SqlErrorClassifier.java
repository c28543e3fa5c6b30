package io.counterpoint.idempotency.jdbc.session;

import io.counterpoint.idempotency.jdbc.spi.ErrorRules;
import io.counterpoint.idempotency.jdbc.spi.RecordRow;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.StoreException;
import java.sql.SQLException;
import java.util.Set;
import java.util.stream.Stream;

/** What proves something in a chain of causes. What an error of the database proves, its rules say. */
public final class SqlErrorClassifier {

    /** Deeper chains of causes are not looked at, so that a cycle ends. */
    static final int DEPTH = 20;

    private static final int LENGTH = 5;

    /** Classes of states that drivers use for errors that they do not know. */
    private static final Set<String> GENERAL = Set.of("99", "HY", "50");

    private SqlErrorClassifier() {}

    /** Of a database that is not known. */
    public static Fault classify(Throwable thrown) {
        return classify(thrown, ErrorRules.STANDARD);
    }

    /**
     * By a database's rules. An error of a driver that proves nothing is a lost connection if the rollback after it failed
     * for that: MySQL's driver reports a closed statement where a JDBC batch has lost its connection.
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

    /** For a database that gives each of its own errors a state: also one that the standard does not know is a refusal. */
    public static Fault refusedByClass(String state, Fault standard) {
        return standard == Fault.UNRECOGNISED && state.length() == LENGTH && !GENERAL.contains(state.substring(0, 2))
                ? Fault.STATEMENT_REFUSED
                : standard;
    }
}
