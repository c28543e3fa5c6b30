package io.counterpoint.idempotency.jdbc.session;

import java.sql.SQLException;
import java.sql.SQLWarning;
import org.jspecify.annotations.Nullable;

/**
 * A statement that committed was answered with a warning. PostgreSQL warns where it gave up waiting for its standby: the
 * commit is there, and may be lost with this server.
 */
public final class CommitWarning extends SQLException {
    private static final long serialVersionUID = 1L;

    /** The completion of the statement is unknown. */
    private static final String UNKNOWN = "40003";

    private CommitWarning(SQLWarning warning) {
        super("The database answered with a warning, so its commit is in doubt", UNKNOWN, warning);
    }

    public static void requireNone(@Nullable SQLWarning warning) throws CommitWarning {
        if (warning != null) {
            throw new CommitWarning(warning);
        }
    }
}
