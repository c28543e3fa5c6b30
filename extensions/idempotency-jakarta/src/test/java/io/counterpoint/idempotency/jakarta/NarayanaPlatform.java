package io.counterpoint.idempotency.jakarta;

import jakarta.transaction.TransactionManager;
import org.eclipse.persistence.platform.server.ServerPlatformBase;
import org.eclipse.persistence.sessions.DatabaseSession;
import org.eclipse.persistence.sessions.ExternalTransactionController;
import org.eclipse.persistence.transaction.JTATransactionController;

/** Tells EclipseLink where the transaction manager is. */
public final class NarayanaPlatform extends ServerPlatformBase {

    /** For EclipseLink. */
    public NarayanaPlatform(DatabaseSession session) {
        super(session);
    }

    @Override
    public Class<? extends ExternalTransactionController> getExternalTransactionControllerClass() {
        return Controller.class;
    }

    /** Its transactions. */
    public static final class Controller extends JTATransactionController {
        @Override
        protected TransactionManager acquireTransactionManager() {
            return Database.TRANSACTIONS;
        }
    }
}
