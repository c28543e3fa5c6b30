package io.counterpoint.idempotency.peers;

import io.counterpoint.idempotency.testing.Cut;
import io.counterpoint.idempotency.testing.CuttingProxy;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/** One library under all faults, in its own database. Faults are injected from outside; no library is changed. */
final class Trial implements AutoCloseable {

    /** The number of calls that one fault hits together. */
    static final int BATCH = 50;

    /** Longer than every timeout that a library was given for a dead leader. */
    private static final int LEADER_PAUSE_MILLIS = 4_000;

    /** After this time, the driver gives up on a silent connection. */
    private static final int SOCKET_TIMEOUT_SECONDS = 3;

    private static final int NO_BOUND = 600_000;
    private static final Duration CUT_WAIT = Duration.ofSeconds(20);

    /** Has the effect of {@code idle_in_transaction_session_timeout}. */
    private static final String END_IDLE_TRANSACTIONS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            + " WHERE datname = current_database() AND state LIKE 'idle in transaction%'";

    private final Peer peer;
    private final String url;
    private final SplittableRandom random;
    private final CuttingProxy proxy;
    private final ExecutorService clients = Executors.newCachedThreadPool();
    private final List<Node> nodes = new ArrayList<>();
    private Node node;

    Trial(Peer peer, String url, long seed) throws IOException, InterruptedException, SQLException {
        this.peer = peer;
        this.url = url;
        this.random = new SplittableRandom(seed);
        execute(Work.TABLE);
        this.proxy = CuttingProxy.inFrontOf(url);
        this.node = start();
    }

    private Node start() throws IOException, InterruptedException {
        Node started = Node.start(peer, proxy.jdbcUrl() + "&socketTimeout=" + SOCKET_TIMEOUT_SECONDS, url);
        nodes.add(started);
        return started;
    }

    /** Runs a fault on a number of keys, and returns their clients. */
    List<Client> run(Fault fault, int keys) throws IOException, InterruptedException, SQLException {
        List<Client> all = new ArrayList<>();
        for (int begun = 0; begun < keys; begun += BATCH) {
            List<Client> batch = new ArrayList<>();
            for (int i = begun; i < Math.min(keys, begun + BATCH); i++) {
                String key = "key-" + Long.toHexString(random.nextLong());
                batch.add(new Client(key, "cents-" + random.nextInt(1, 1_000_000)));
            }
            run(fault, batch);
            all.addAll(batch);
        }
        settle(all);
        return all;
    }

    private void run(Fault fault, List<Client> batch) throws IOException, InterruptedException, SQLException {
        switch (fault) {
            case KILLED_UNCOMMITTED -> kill(batch, false);
            case KILLED_COMMITTED -> kill(batch, true);
            case COMMIT_LOST -> cut(batch, Cut.BEFORE_SEND);
            case ANSWER_LOST -> cut(batch, Cut.AFTER_ANSWER);
            case COMMIT_LATE -> cut(batch, Cut.HOLD);
            case LEADER_PAUSED -> pauseLeader(batch, false);
            case LEADER_CUT_OFF -> pauseLeader(batch, true);
            case TWO_AT_ONCE -> {
                Node other = start();
                each(batch, client -> {
                    CompletableFuture<Answer> one =
                            client.call(node, random.split().nextInt(1, 20));
                    client.ask(other);
                    one.join();
                    client.ask(node);
                });
                other.kill();
            }
            case OTHER_REQUEST ->
                each(batch, client -> {
                    client.ask(node);
                    client.askForAnother(node);
                });
        }
    }

    /** Kills the process while its COMMITs are in flight. A new process replaces it, and the clients retry there. */
    private void kill(List<Client> batch, boolean arrives) throws IOException, InterruptedException {
        List<CompletableFuture<Answer>> calls = callUntilCommit(batch, Cut.HOLD);
        proxy.awaitCut(CUT_WAIT);
        node.kill();
        join(calls);
        if (!arrives) {
            proxy.closeAll();
        }
        proxy.heal();
        node = start();
        each(batch, client -> client.ask(node));
    }

    private void cut(List<Client> batch, Cut cut) throws InterruptedException {
        List<CompletableFuture<Answer>> calls = callUntilCommit(batch, cut);
        proxy.awaitCut(CUT_WAIT);
        if (cut == Cut.HOLD) {
            // It arrives after the driver has given up and the retries have started.
            Thread.sleep(SOCKET_TIMEOUT_SECONDS * 1_000 + 200);
            CompletableFuture<Void> retries =
                    CompletableFuture.runAsync(() -> each(batch, client -> client.ask(node)), clients);
            Thread.sleep(random.nextInt(500, 1_000));
            proxy.heal();
            retries.join();
        }
        join(calls);
        each(batch, client -> client.ask(node));
    }

    /** Starts the calls, waits until the work of all has inserted, and lets them continue to a COMMIT that is cut. */
    private List<CompletableFuture<Answer>> callUntilCommit(List<Client> batch, Cut cut) throws InterruptedException {
        List<CompletableFuture<Answer>> calls = pausedCalls(batch);
        for (int i = 0; i < batch.size(); i++) {
            proxy.onNextStatement(sql -> sql.strip().regionMatches(true, 0, "commit", 0, 6), cut);
        }
        node.go();
        return calls;
    }

    /**
     * Repeats the calls until the work of all has inserted and pauses, because the pool may hand out a connection that
     * an earlier fault broke.
     */
    private List<CompletableFuture<Answer>> pausedCalls(List<Client> batch) throws InterruptedException {
        List<CompletableFuture<Answer>> calls = new ArrayList<>();
        batch.forEach(client -> calls.add(client.call(node, NO_BOUND)));
        for (int i = 0; i < calls.size(); i++) {
            while (!node.awaitPause(batch.get(i).key(), calls.get(i))) {
                calls.set(i, batch.get(i).call(node, NO_BOUND));
            }
        }
        return calls;
    }

    /** Pauses the leader, calls a new process with the same keys, and then lets the leader continue. */
    private void pauseLeader(List<Client> batch, boolean losesSession)
            throws IOException, InterruptedException, SQLException {
        Node leader = node;
        List<CompletableFuture<Answer>> calls = pausedCalls(batch);
        long since = System.nanoTime();
        if (losesSession) {
            execute(END_IDLE_TRANSACTIONS);
        }
        node = start();
        CompletableFuture<Void> retries =
                CompletableFuture.runAsync(() -> each(batch, client -> client.ask(node)), clients);
        Thread.sleep(Math.max(
                0,
                LEADER_PAUSE_MILLIS
                        - Duration.ofNanos(System.nanoTime() - since).toMillis()));
        node.runJob();
        leader.go();
        join(calls);
        retries.join();
        each(batch, client -> client.ask(node));
        leader.kill();
    }

    private static void join(List<CompletableFuture<Answer>> calls) {
        calls.forEach(CompletableFuture::join);
    }

    private void each(List<Client> batch, Consumer<Client> action) {
        CompletableFuture.allOf(batch.stream()
                        .map(client -> CompletableFuture.runAsync(() -> action.accept(client), clients))
                        .toArray(CompletableFuture<?>[]::new))
                .join();
    }

    /** Lets background jobs finish their work. */
    private void settle(List<Client> all) throws InterruptedException, SQLException {
        long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        boolean complete;
        do {
            node.runJob();
            Map<String, List<String>> payments = payments();
            complete = all.stream().allMatch(client -> payments.containsKey(client.key()) || !client.believes());
            Thread.sleep(complete ? 0 : 500);
        } while (!complete && System.nanoTime() < deadline);
    }

    /** The numbers of all payments, by key. */
    Map<String, List<String>> payments() throws SQLException {
        Map<String, List<String>> payments = new HashMap<>();
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT key, id FROM payment")) {
            while (rows.next()) {
                payments.computeIfAbsent(rows.getString(1), key -> new ArrayList<>())
                        .add(rows.getString(2));
            }
        }
        return payments;
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            boolean unused = statement.execute(sql);
        }
    }

    @Override
    public void close() {
        nodes.forEach(Node::close);
        clients.shutdownNow();
        proxy.close();
    }
}
