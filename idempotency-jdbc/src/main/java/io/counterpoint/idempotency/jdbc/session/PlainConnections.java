package io.counterpoint.idempotency.jdbc.session;

import io.counterpoint.idempotency.jdbc.spi.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Connections of a data source. The work gets the guarded connection. */
public final class PlainConnections extends Connections<Connection> {

    private final DataSource source;

    /**
     * Creates an instance.
     *
     * @throws IllegalArgumentException if the data source returns the connection of the caller's own transaction
     */
    public PlainConnections(DataSource source) {
        if (source.getClass().getName().equals(PROXY_OF_SPRING)) {
            throw new IllegalArgumentException(IS_PROXY);
        }
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
    protected LentConnection<Connection> open(Dialect dialect) throws SQLException {
        return new LentConnection<>(this, dialect, guarded(source.getConnection())) {
            @Override
            public Connection view() {
                return guard();
            }
        };
    }

    @Override
    public <T> T ask(Question<T> question) throws SQLException {
        try (Connection connection = source.getConnection()) {
            return question.ask(connection);
        }
    }
}
