package io.counterpoint.idempotency.spring;

import io.counterpoint.idempotency.spi.ForwardingStore.ForwardingScope;
import io.counterpoint.idempotency.spi.WorkScope;
import java.sql.Connection;
import java.util.Set;

/** Notifies Spring of the phases of a transaction. The first request for the handle makes the work join it. */
final class SpringScope extends ForwardingScope<Connection> {

    private final SpringConnection connection;
    private final Entities entities;
    private final Set<String> separate;
    private boolean joined;

    /** The scope of the transaction that has begun on this thread. */
    static SpringScope of(WorkScope<Connection> scope, Entities entities, Set<String> separate) {
        return new SpringScope(scope, SpringConnection.begun(), entities, separate);
    }

    private SpringScope(
            WorkScope<Connection> scope, SpringConnection connection, Entities entities, Set<String> separate) {
        super(scope);
        this.connection = connection;
        this.entities = entities;
        this.separate = separate;
    }

    @Override
    public Connection handle() {
        Connection guarded = super.handle();
        if (!joined) {
            joined = true;
            connection.join(guarded, separate);
        }
        return guarded;
    }

    /** A rollback does not restore the entities of a session that is open around the call. */
    @Override
    public boolean mayRunAgain() {
        return super.mayRunAgain() && !connection.isInOuterSession();
    }

    @Override
    public void beforeWork() {
        super.beforeWork();
        Connection unused = handle();
    }

    @Override
    public void beforeEncoding() {
        super.beforeEncoding();
        connection.requireNotRollbackOnly();
        entities.flush();
        connection.requireNotRollbackOnly();
    }

    @Override
    public void afterEnd(End end) {
        try {
            if (end == End.UNKNOWN && connection.isInOuterSession()) {
                entities.clear();
            }
        } finally {
            super.afterEnd(end);
        }
    }
}
