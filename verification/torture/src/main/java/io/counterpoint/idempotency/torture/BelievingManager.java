package io.counterpoint.idempotency.torture;

import javax.sql.DataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** Treats every COMMIT as successful, whatever the driver reports. */
final class BelievingManager extends JdbcTransactionManager {
    private static final long serialVersionUID = 1L;

    BelievingManager(DataSource dataSource) {
        super(dataSource);
    }

    @Override
    protected void doCommit(DefaultTransactionStatus status) {
        try {
            super.doCommit(status);
        } catch (RuntimeException unanswered) {
            // Swallows the exception.
        }
    }
}
