package io.counterpoint.idempotency.peers;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The user's work, the same for all libraries: it inserts a row and may then pause. */
final class Work {

    /** There is no unique constraint on the key, so a second effect becomes visible. */
    static final String TABLE = "CREATE TABLE payment (id text NOT NULL, key text NOT NULL, request text NOT NULL)";

    private static final String INSERT = "INSERT INTO payment (id, key, request) VALUES (?, ?, ?)";

    private final Map<String, Pause> pauses = new ConcurrentHashMap<>();

    /**
     * What the first run for a key does after its insert: it reports, and continues after some milliseconds or when
     * released.
     */
    record Pause(long millis, Runnable reached, CountDownLatch go) {}

    void pauseOnce(String key, Pause pause) {
        pauses.put(key, pause);
    }

    static String newPayment() {
        return UUID.randomUUID().toString();
    }

    /** Books on a connection whose transaction the library ends. */
    String book(Connection connection, String key, String request) throws SQLException {
        return book(connection, newPayment(), key, request);
    }

    String book(Connection connection, String payment, String key, String request) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
            insert.setString(1, payment);
            insert.setString(2, key);
            insert.setString(3, request);
            insert.executeUpdate();
        }
        Pause pause = pauses.remove(key);
        if (pause != null) {
            pause.reached.run();
            try {
                boolean unused = pause.go.await(pause.millis, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        return payment;
    }
}
