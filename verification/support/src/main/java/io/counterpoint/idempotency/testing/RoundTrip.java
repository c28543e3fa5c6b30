package io.counterpoint.idempotency.testing;

import java.util.ArrayList;
import java.util.List;

/**
 * The SQL of everything that a client sends before it waits for answers.
 *
 * <p>That may be more than the server calls one: pgjdbc sends BEGIN and the first statement in one go, and the server
 * says twice that it is ready.
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
     * Whether this is {@link java.sql.Connection#isValid}, which the driver sends as an empty statement. A pool does so
     * before it hands out a connection that has been idle for half a second: on a busy machine, anywhere.
     */
    synchronized boolean onlyChecksConnection() {
        return statements.equals(List.of(""));
    }

    @Override
    public String toString() {
        return "connection " + connection + ": " + String.join(" | ", statements());
    }
}
