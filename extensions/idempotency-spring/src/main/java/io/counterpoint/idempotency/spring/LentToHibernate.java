package io.counterpoint.idempotency.spring;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.Executor;

/**
 * The connection of an operation, as Hibernate gets it. It is the guarded one, which refuses to end the transaction. Once
 * that has ended, Hibernate ends its own view of it, and this lets commit, rollback and close do nothing.
 */
final class LentToHibernate extends ForwardingConnection {

    private boolean ended;

    LentToHibernate(Connection delegate) {
        super(delegate);
    }

    /** From now on nothing is ended. */
    void ended() {
        ended = true;
    }

    @Override
    public void setAutoCommit(boolean autoCommit) throws SQLException {
        delegate.setAutoCommit(autoCommit);
    }

    @Override
    public void commit() throws SQLException {
        if (!ended) {
            delegate.commit();
        }
    }

    @Override
    public void rollback() throws SQLException {
        if (!ended) {
            delegate.rollback();
        }
    }

    @Override
    public void close() throws SQLException {
        if (!ended) {
            delegate.close();
        }
    }

    @Override
    public void abort(Executor executor) throws SQLException {
        delegate.abort(executor);
    }
}
