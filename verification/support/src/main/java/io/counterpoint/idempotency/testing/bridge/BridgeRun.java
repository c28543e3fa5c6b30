package io.counterpoint.idempotency.testing.bridge;

import io.counterpoint.idempotency.testing.bridge.KeyHistory.Effect;
import io.counterpoint.idempotency.testing.bridge.NodeProcess.Called;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Two versions of the service that run side by side on one database. In each round, one node stops in the middle of its
 * calls; the same keys are called at another node, which may wait; and then the first node is killed or continues.
 */
public final class BridgeRun implements AutoCloseable {

    private static final List<Stop> STOPS = List.of(Stop.values());
    private static final int KEYS_OF_A_BATCH = 10;
    private static final int ROUNDS_OF_A_KEY = 3;
    private static final long CENTS = 100;
    private static final long OTHER_CENTS = 777;

    private final String url;
    private final Random random;
    private final List<KeyHistory> ended = new ArrayList<>();
    private final List<NodeProcess> live = new ArrayList<>();
    private final List<String> wrong = new ArrayList<>();
    private int keys;

    /**
     * Prepares the database.
     *
     * @param url the database, with all tables
     * @param seed determines every random choice
     */
    public BridgeRun(String url, int seed) throws SQLException {
        this.url = url;
        this.random = new Random(seed);
        execute("CREATE TABLE IF NOT EXISTS blocked (user_id text)");
        execute("""
                CREATE OR REPLACE FUNCTION refuse_blocked() RETURNS trigger LANGUAGE plpgsql AS
                $$BEGIN
                    IF EXISTS (SELECT FROM blocked WHERE user_id = NEW.user_id) THEN RAISE EXCEPTION 'blocked'; END IF;
                    RETURN NEW;
                END$$""");
        execute("CREATE OR REPLACE TRIGGER refuse_blocked BEFORE INSERT ON payment"
                + " FOR EACH ROW EXECUTE FUNCTION refuse_blocked()");
    }

    /**
     * Replaces all nodes with two others, checks the existing keys, and runs new keys through rounds until something is
     * wrong.
     *
     * @param batches the number of batches, with ten keys each
     * @return what was wrong
     */
    public List<String> run(NodeKind one, NodeKind other, int batches) throws Exception {
        close();
        live.add(new NodeProcess(one, url));
        live.add(new NodeProcess(other, url));
        for (KeyHistory history : ended) {
            end(history);
        }
        for (int batch = 0; batch < batches && wrong.isEmpty(); batch++) {
            List<KeyHistory> histories = Stream.generate(() -> new KeyHistory(++keys))
                    .limit(KEYS_OF_A_BATCH)
                    .toList();
            for (int round = 0; round < ROUNDS_OF_A_KEY; round++) {
                try (NodeProcess stopping = new NodeProcess(random.nextBoolean() ? one : other, url)) {
                    round(histories, stopping);
                }
            }
            for (KeyHistory history : histories) {
                end(history);
            }
            ended.addAll(histories);
        }
        return wrong;
    }

    private void round(List<KeyHistory> histories, NodeProcess stopping) throws Exception {
        List<Called> first = new ArrayList<>();
        for (KeyHistory history : histories) {
            if (random.nextInt(4) == 0) {
                execute("INSERT INTO blocked VALUES ('" + history.userId + "')");
            }
            Stop stop = STOPS.get(random.nextInt(STOPS.size()));
            first.add(history.add(stopping.call(stop, history.userId, history.requestId, cents())));
        }
        for (Called call : first) {
            call.awaitStop();
        }
        execute("DELETE FROM blocked");
        if (random.nextBoolean()) {
            age();
        }
        List<Called> second = new ArrayList<>();
        for (KeyHistory history : histories) {
            NodeProcess other = live.get(random.nextInt(live.size()));
            second.add(history.add(other.call(Stop.NOWHERE, history.userId, history.requestId, cents())));
        }
        if (random.nextInt(3) == 0) {
            stopping.resume();
            for (Called call : first) {
                call.await();
            }
        }
        stopping.kill();
        for (Called call : second) {
            call.await();
        }
        age();
    }

    private long cents() {
        return random.nextInt(5) == 0 ? OTHER_CENTS : CENTS;
    }

    /** Ages records until their leaders no longer count as alive. What a stopped node has locked does not change. */
    private void age() throws SQLException {
        execute("""
                UPDATE idempotency_record
                SET created_at = created_at - INTERVAL '1 hour', updated_at = updated_at - INTERVAL '1 hour'
                WHERE (scope, key_value) IN
                    (SELECT scope, key_value FROM idempotency_record WHERE state = 'P' FOR UPDATE SKIP LOCKED)""");
    }

    /** No node is dying any more, so every version has to give the same response, and none to a different request. */
    private void end(KeyHistory history) throws Exception {
        long booked = booked(history);
        String receipt = "";
        for (int turn = 0; turn < 2; turn++) {
            for (NodeProcess node : live) {
                if (!node.kind().isOld()) {
                    other(history, node, booked);
                }
                String answer = answer(history, node, booked);
                boolean settled = answer.startsWith("receipt ") || answer.startsWith("RejectedException");
                if (!settled || !(receipt.isEmpty() || receipt.equals(answer))) {
                    wrong.add("ends with " + answer + ": " + history);
                }
                receipt = answer;
            }
        }
        wrong.addAll(history.wrong(effects(history)));
    }

    private long booked(KeyHistory history) throws Exception {
        List<Effect> effects = effects(history);
        if (!effects.isEmpty()) {
            return effects.get(0).cents();
        }
        NodeProcess node = live.get(live.size() - 1);
        return answer(history, node, CENTS).startsWith("KeyReused") ? OTHER_CENTS : CENTS;
    }

    /**
     * Sends a different request with the key. It must be rejected, and must not leave a record that gets in the way.
     */
    private void other(KeyHistory history, NodeProcess node, long booked) throws Exception {
        // The session of a dead node may have held its lock until now.
        age();
        if (!effects(history).isEmpty() && (history.hasOtherRequests() || random.nextBoolean())) {
            answer(history, node, booked == CENTS ? OTHER_CENTS : CENTS);
        }
    }

    private static String answer(KeyHistory history, NodeProcess node, long cents) throws Exception {
        return history.add(node.call(Stop.NOWHERE, history.userId, history.requestId, cents))
                .await();
    }

    private List<Effect> effects(KeyHistory history) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                PreparedStatement query =
                        connection.prepareStatement("SELECT cents, receipt FROM payment WHERE user_id = ?")) {
            query.setString(1, history.userId);
            List<Effect> effects = new ArrayList<>();
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    effects.add(new Effect(rows.getLong(1), rows.getString(2)));
                }
            }
            return effects;
        }
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Override
    public void close() {
        live.forEach(NodeProcess::close);
        live.clear();
    }
}
