package io.counterpoint.idempotency.testing;

import java.util.ArrayList;
import java.util.List;

/**
 * The SQL of everything that a client sends before it waits for replies.
 *
 * <p>The server may see it as more than one batch: pgjdbc sends BEGIN and the first statement together, and the server
 * reports twice that it is ready.
 */
final class RoundTrip {

    private final int connection;
    private final List<String> statements = new ArrayList<>();

    RoundTrip(int connection) {
        this.connection = connection;
    }

    synchronized void add(String sql) {
        statements.add(sql);
    }

    synchronized List<String> statements() {
        return List.copyOf(statements);
    }

    /**
     * Whether this is {@link java.sql.Connection#isValid}, which the driver sends as an empty statement. A pool calls
     * it before it hands out a connection that has been idle for half a second, so on a busy machine it can occur
     * anywhere.
     */
    synchronized boolean onlyChecksConnection() {
        return statements.equals(List.of(""));
    }

    @Override
    public String toString() {
        return "connection " + connection + ": " + String.join(" | ", statements());
    }
}
