package io.counterpoint.idempotency.jdbc.session;

import io.counterpoint.idempotency.jdbc.guard.GuardedConnection;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** The connections of a data source. The work sees the guarded connection. */
public final class PlainConnections extends Connections<Connection> {

    private final DataSource source;

    public PlainConnections(DataSource source) {
        this.source = source;
    }

    @Override
    protected Object origin() {
        return source;
    }

    @Override
    protected boolean isOpenedByThisThread() {
        return false;
    }

    @Override
    protected Borrowed<Connection> open() throws SQLException {
        return new Plain(this, guarded(source.getConnection()));
    }

    @Override
    public <T> T ask(Question<T> question) throws SQLException {
        try (Connection connection = source.getConnection()) {
            return question.ask(connection);
        }
    }

    private static final class Plain extends Borrowed<Connection> {

        private Plain(Connections<Connection> from, GuardedConnection guard) {
            super(from, guard);
        }

        @Override
        public Connection view() {
            return guard();
        }
    }
}
