package io.counterpoint.idempotency.jdbc.session;

import io.counterpoint.idempotency.jdbc.spi.ErrorRules;
import io.counterpoint.idempotency.jdbc.spi.RecordRow;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.StoreException;
import java.sql.SQLException;
import java.util.Set;

/** What proves something in a chain of causes. The database's rules determine what an error proves. */
public final class SqlErrorClassifier {

    /** Deeper chains of causes are not looked at, so that a cycle ends. */
    static final int DEPTH = 20;

    private static final int LENGTH = 5;

    /** Classes of states that drivers use for errors that they do not know. */
    private static final Set<String> GENERAL = Set.of("99", "HY", "50");

    private SqlErrorClassifier() {}

    /** For an unknown database. */
    public static Fault classify(Throwable thrown) {
        return classify(thrown, ErrorRules.STANDARD);
    }

    public static Fault classify(Throwable thrown, ErrorRules rules) {
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

    /**
     * For a database that assigns an SQLSTATE to every error of its own: a state that the standard does not define is a
     * refusal too.
     */
    public static Fault refusedByClass(String state, Fault standard) {
        return standard == Fault.UNRECOGNISED && state.length() == LENGTH && !GENERAL.contains(state.substring(0, 2))
                ? Fault.STATEMENT_REFUSED
                : standard;
    }
}
