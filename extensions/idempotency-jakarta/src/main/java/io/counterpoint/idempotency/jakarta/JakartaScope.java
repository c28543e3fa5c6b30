package io.counterpoint.idempotency.jakarta;

import io.counterpoint.idempotency.spi.ForwardingStore.ForwardingScope;
import io.counterpoint.idempotency.spi.WorkScope;
import jakarta.transaction.Status;
import java.sql.Connection;
import java.util.List;

/** The phases of a transaction: pending writes of a persistence context are flushed before the result is encoded. */
final class JakartaScope extends ForwardingScope<Connection> {

    private final Manager manager;
    private final List<Runnable> flushes;

    JakartaScope(WorkScope<Connection> scope, Manager manager, List<Runnable> flushes) {
        super(scope);
        this.manager = manager;
        this.flushes = flushes;
    }

    @Override
    public void beforeEncoding() {
        super.beforeEncoding();
        flush();
    }

    @Override
    public void beforeMark() {
        super.beforeMark();
        flush();
    }

    private void flush() {
        requireNotRollbackOnly();
        if (manager.status() == Status.STATUS_ACTIVE) {
            flushes.forEach(Runnable::run);
            requireNotRollbackOnly();
        }
    }

    private void requireNotRollbackOnly() {
        if (manager.status() == Status.STATUS_MARKED_ROLLBACK) {
            throw new RollbackOnlyException();
        }
    }
}
