package io.counterpoint.idempotency.examples.appplatform;

import static io.counterpoint.idempotency.jdbc.Isolation.READ_COMMITTED;

import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.outbox.Outbox;
import io.counterpoint.idempotency.consistency.outbox.OutboxEvent;
import io.counterpoint.idempotency.examples.appplatform.process.Repeated;
import io.counterpoint.idempotency.examples.appplatform.search.AppIndex;
import io.counterpoint.idempotency.examples.appplatform.search.AppIndex.Entry;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jspecify.annotations.Nullable;

/**
 * This node's search index, and its subscription: a topic of its own, so every node gets every event. The index is filled
 * from the tables after the subscription is committed. A change that is committed later has an event that finds it.
 *
 * <p>A node that is not seen for long loses its subscription, and its events are deleted. If it comes back it subscribes and
 * fills its index again.
 */
final class SearchNode implements AutoCloseable {

    static final Bound BOUND = new Bound(
            "search index",
            "an event for each version and node, which reads the app as it is then",
            "nothing: the same entry is written again",
            Duration.ofSeconds(5));

    /** A subscription outlives so many silences, since filling an index costs more than its events. */
    private static final int PATIENCE = 10;

    /**
     * What the table said.
     *
     * @param at when, by the clock of the database
     * @param entry empty if the app is gone
     */
    private record Seen(Instant at, Optional<Entry> entry) {}

    private final UUID id = UUID.randomUUID();
    private final Transactions transactions;
    private final Outbox outbox;
    private final Duration silence;
    private final Consumer<String> log;
    private final Lag lag = new Lag(BOUND);
    private final AppIndex index = new AppIndex();
    private final Repeated heart;
    private boolean started;

    SearchNode(Transactions transactions, Outbox outbox, Duration silence, Consumer<String> log) {
        this.transactions = transactions;
        this.outbox = outbox;
        this.silence = silence;
        this.log = log;
        heart = new Repeated("search", this::beat, log);
    }

    /** Where this node's events are. */
    String topic() {
        return Events.SEARCH_OF + id;
    }

    Lag lag() {
        return lag;
    }

    /** Subscribes, and fills its index. Its events wait until somebody hands them on. */
    synchronized SearchNode start() {
        started = true;
        subscribe();
        heart.every(silence.dividedBy(5));
        return this;
    }

    private void subscribe() {
        transactions.useTransaction(
                READ_COMMITTED,
                handle -> handle.execute("INSERT INTO search_node (id, seen_at) VALUES (?, CURRENT_TIMESTAMP)", id));
        int apps = rebuild();
        log.accept("search: subscribed, and filled with " + apps + " apps");
    }

    private void beat() {
        boolean subscribed = transactions.inTransaction(READ_COMMITTED, handle -> {
            boolean there = handle.execute("UPDATE search_node SET seen_at = CURRENT_TIMESTAMP WHERE id = ?", id) == 1;
            int dropped = handle.execute("DELETE FROM search_node WHERE seen_at < CURRENT_TIMESTAMP - INTERVAL '"
                    + silence.multipliedBy(PATIENCE).toSeconds() + "' SECOND");
            if (dropped > 0) {
                forgetUnsubscribed(handle);
            }
            return there;
        });
        if (!subscribed) {
            subscribe();
        }
    }

    private static void forgetUnsubscribed(Handle handle) {
        handle.execute(
                "DELETE FROM outbox_event WHERE topic LIKE '" + Events.SEARCH_OF + "%' AND topic NOT IN (SELECT '"
                        + Events.SEARCH_OF + "' || CAST(id AS varchar(36)) FROM search_node)");
        handle.execute("DELETE FROM search_difference WHERE node_id NOT IN (SELECT id FROM search_node)");
    }

    /**
     * An event becomes one for each node. If it comes twice, so do they, and the same entry is written again. Of a change that is committed before a node subscribes the node gets no event if
     * this comes first, and finds the change in the tables.
     */
    void fanOut(OutboxEvent event) {
        transactions.useTransaction(READ_COMMITTED, handle -> fanOut(handle, event));
    }

    private void fanOut(Handle handle, OutboxEvent event) {
        String since = handle.select("SELECT appended_at FROM outbox_event WHERE id = ?", event.id())
                .mapTo(OffsetDateTime.class)
                .one()
                .toInstant()
                .toString();
        List<OutboxEvent> forNodes = handle.createQuery("SELECT id FROM search_node").mapTo(UUID.class).stream()
                .map(node -> OutboxEvent.ordered(
                        Events.SEARCH_OF + node, event.orderKey().orElseThrow(), since))
                .toList();
        outbox.append(handle, forNodes);
    }

    /** Takes an event of this node's topic. */
    synchronized void accept(OutboxEvent event) {
        if (event.payload().equals(Events.REBUILD)) {
            int unused = rebuild();
            return;
        }
        UUID app = UUID.fromString(event.orderKey().orElseThrow());
        long began = System.nanoTime();
        Seen seen = transactions.inTransaction(READ_COMMITTED, handle -> look(handle, app));
        seen.entry().ifPresentOrElse(entry -> index.put(app, entry), () -> index.remove(app));
        if (!event.payload().equals(Events.LOOK_AGAIN)) {
            // The database's clock said when it was read; until it can be found takes this much more.
            lag.seen(
                    1,
                    Duration.between(Instant.parse(event.payload()), seen.at()).plusNanos(System.nanoTime() - began));
        }
    }

    /** An app, and the time of the database. */
    private static Seen look(Handle handle, UUID app) {
        String row = """
                SELECT CURRENT_TIMESTAMP, a.workspace_id, a.name
                FROM (SELECT 1 AS one) row_in_any_case LEFT JOIN app a ON a.id = ? AND a.deleted_at IS NULL
                """;
        return handle.select(row, app)
                .map((columns, context) -> {
                    Instant at = columns.getObject(1, OffsetDateTime.class).toInstant();
                    long workspace = columns.getLong(2);
                    return new Seen(
                            at, Optional.ofNullable(columns.getString(3)).map(name -> new Entry(workspace, name)));
                })
                .one();
    }

    /** Fills the index from the tables; a search meanwhile finds what it found before. Returns the number of apps. */
    synchronized int rebuild() {
        Map<UUID, Entry> apps = transactions.inTransaction(READ_COMMITTED, SearchNode::apps);
        apps.forEach(index::put);
        index.all().keySet().stream().filter(app -> !apps.containsKey(app)).forEach(index::remove);
        return apps.size();
    }

    private static Map<UUID, Entry> apps(Handle handle) {
        return handle.createQuery("SELECT id, workspace_id, name FROM app WHERE deleted_at IS NULL")
                .map((row, context) ->
                        Map.entry(row.getObject(1, UUID.class), new Entry(row.getLong(2), row.getString(3))))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    /**
     * Compares the index with the tables, and stores what differs for the check. What still waits for an event is late, not
     * wrong. Returns the number of differences; 0 where this node has no index.
     */
    synchronized int compare() {
        if (!started) {
            return 0;
        }
        Map<UUID, Entry> found = index.all();
        return transactions.inTransaction(READ_COMMITTED, handle -> {
            Map<UUID, Entry> there = apps(handle);
            Set<UUID> differing = new HashSet<>();
            Stream.of(there.keySet(), found.keySet())
                    .flatMap(Set::stream)
                    .filter(app -> !Optional.ofNullable(there.get(app)).equals(Optional.ofNullable(found.get(app))))
                    .forEach(differing::add);
            String waiting = "SELECT order_key FROM outbox_event"
                    + " WHERE published_at IS NULL AND order_key IS NOT NULL AND topic IN (?, ?)";
            handle.select(waiting, Events.SEARCH, topic())
                    .mapTo(String.class)
                    .forEach(app -> differing.remove(UUID.fromString(app)));
            store(handle, differing, there, found);
            return differing.size();
        });
    }

    private void store(Handle handle, Set<UUID> differing, Map<UUID, Entry> there, Map<UUID, Entry> found) {
        handle.execute("DELETE FROM search_difference WHERE node_id = ?", id);
        if (differing.isEmpty()) {
            return;
        }
        try (PreparedBatch rows = handle.prepareBatch(
                "INSERT INTO search_difference (id, node_id, app_id, in_table, in_index) VALUES (?, ?, ?, ?, ?)")) {
            differing.forEach(app -> rows.add(UUID.randomUUID(), id, app, text(there.get(app)), text(found.get(app))));
            rows.execute();
        }
    }

    private static @Nullable String text(@Nullable Entry entry) {
        return entry == null ? null : "workspace " + entry.workspace() + ": " + entry.name();
    }

    /** By the words of the name, in a workspace, best first. */
    List<UUID> find(long workspace, String text, int limit) {
        return index.find(workspace, text, limit);
    }

    AppIndex index() {
        return index;
    }

    /** Ends the subscription. */
    @Override
    public void close() {
        heart.close();
        try {
            transactions.useTransaction(READ_COMMITTED, handle -> {
                if (handle.execute("DELETE FROM search_node WHERE id = ?", id) > 0) {
                    forgetUnsubscribed(handle);
                }
            });
        } catch (RuntimeException fault) {
            // Another node will do it.
            log.accept("search: " + fault);
        }
    }
}
