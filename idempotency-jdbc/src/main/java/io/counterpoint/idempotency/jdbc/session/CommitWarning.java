package io.counterpoint.idempotency.jdbc.session;

import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A statement that committed was answered with a warning that its dialect does not know to be harmless. PostgreSQL warns
 * where it gave up waiting for its standby: the commit is there, and may be lost with this server.
 */
public final class CommitWarning extends SQLException {
    private static final long serialVersionUID = 1L;

    /** The completion of the statement is unknown. */
    private static final String UNKNOWN = "40003";

    private CommitWarning(SQLWarning warning) {
        super("The database returned a warning, so the commit is in doubt", UNKNOWN, warning);
    }

    /** Looks at the whole chain: what a deferred trigger says precedes what the commit says. */
    public static void requireNone(@Nullable SQLWarning first, Predicate<SQLWarning> isHarmless) throws CommitWarning {
        for (SQLWarning warning = first; warning != null; warning = warning.getNextWarning()) {
            if (!isHarmless.test(warning)) {
                throw new CommitWarning(warning);
            }
        }
    }
}
