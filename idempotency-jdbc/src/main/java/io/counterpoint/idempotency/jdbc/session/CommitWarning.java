package io.counterpoint.idempotency.jdbc.session;

import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when the reply to a statement that committed contains a warning that its dialect does not know to be harmless.
 * PostgreSQL warns when it stops waiting for its standby: the commit exists but may be lost with this server.
 */
public final class CommitWarning extends SQLException {
    private static final long serialVersionUID = 1L;

    /** The completion of the statement is unknown. */
    private static final String UNKNOWN = "40003";

    private CommitWarning(SQLWarning warning) {
        super("The database returned a warning, so the commit is in doubt", UNKNOWN, warning);
    }

    /** Checks the whole chain: warnings of a deferred trigger precede those of the commit. */
    public static void requireNone(@Nullable SQLWarning first, Predicate<SQLWarning> isHarmless) throws CommitWarning {
        for (SQLWarning warning = first; warning != null; warning = warning.getNextWarning()) {
            if (!isHarmless.test(warning)) {
                throw new CommitWarning(warning);
            }
        }
    }
}
