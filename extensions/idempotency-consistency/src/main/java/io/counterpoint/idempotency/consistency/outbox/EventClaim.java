package io.counterpoint.idempotency.consistency.outbox;

import io.counterpoint.idempotency.consistency.internal.DatabaseProduct;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.EmptyHandling;
import org.jdbi.v3.core.statement.Query;

/**
 * A claim to due events of a topic, for one round, which may take several transactions. An event that waits behind
 * another one of its key has no due time: the claim that finds it clears that time while it locks an unpublished event
 * in front. The transaction that publishes or discards the one in front {@linkplain Outbox#release sets it again} for
 * the next one. A waiting event is therefore read only twice, no matter how many wait. A claim never waits for a lock.
 */
final class EventClaim {

    /** The maximum number of events of a key that are queued behind another one at once. */
    private static final int LONGEST_LINE = 1000;

    /**
     * A claimed event.
     *
     * @param attempts the attempts before this claim
     */
    record Claimed(long seq, OutboxEvent event, int attempts) {
        private boolean isOrdered() {
            return event.orderKey().isPresent();
        }
    }

    private final Outbox outbox;
    private final String topic;
    private final UUID token;
    private final int most;
    private final Duration lasts;
    /** How often the front event of a key was held by another claim. */
    private final Map<String, Integer> held = new HashMap<>();

    private boolean goesOn = true;

    /**
     * Creates a claim.
     *
     * @param token identifies the owner of the claimed events
     * @param most the maximum number of events
     * @param lasts the time after which they may be claimed again
     */
    EventClaim(Outbox outbox, String topic, UUID token, int most, Duration lasts) {
        this.outbox = outbox;
        this.topic = topic;
        this.token = token;
        this.most = most;
        this.lasts = lasts;
    }

    /** Whether there may be events behind those that the last transaction found. */
    boolean goesOn() {
        return goesOn;
    }

    /** Claims the first event of each of several keys, in its own transaction. */
    List<Claimed> take(Handle handle) {
        DatabaseProduct database = DatabaseProduct.of(handle);
        List<Claimed> due = due(handle, database);
        Set<Long> behind = behind(handle, due);
        List<Claimed> first =
                due.stream().filter(event -> !behind.contains(event.seq())).toList();
        putBehind(handle, due, behind);
        goesOn = first.isEmpty() && !due.isEmpty();
        if (!first.isEmpty()) {
            claim(handle, database, first);
        }
        return first;
    }

    /** Two claims never collide: each skips what the other has locked, and changed events no longer match. */
    private List<Claimed> due(Handle handle, DatabaseProduct database) {
        // Without a lower bound, H2 would start with the events that have no due time.
        String due = "topic = :topic AND due_at > TIMESTAMP '1970-01-01 00:00:00' AND due_at <= " + database.now()
                + " AND published_at IS NULL AND parked_at IS NULL";
        // The front event of a key may have been published in the meantime, so it is checked twice.
        List<String> elsewhere = held.entrySet().stream()
                .filter(key -> key.getValue() > 1)
                .map(Map.Entry::getKey)
                .toList();
        String others = elsewhere.isEmpty() ? "" : " AND (order_key IS NULL OR order_key NOT IN (<elsewhere>))";
        return lockFirst(
                        handle,
                        "seq, " + Outbox.COLUMNS + ", attempts",
                        due + others,
                        database.first(most, "topic", "due_at, seq"),
                        elsewhere.isEmpty() ? Map.of("topic", topic) : Map.of("topic", topic, "elsewhere", elsewhere))
                .map((row, context) -> new Claimed(row.getLong("seq"), Outbox.event(row), row.getInt("attempts")))
                .list();
    }

    /**
     * Locks the first events, skipping those that others have locked. H2 does not use an index for ordering rows that
     * it also locks.
     */
    private Query lockFirst(Handle handle, String columns, String where, String first, Map<String, ?> values) {
        String query = "SELECT %s FROM " + outbox.table() + " WHERE " + where;
        if (DatabaseProduct.of(handle) != DatabaseProduct.H2) {
            return bound(
                    handle.createQuery(query.formatted(columns) + " " + first + " FOR UPDATE SKIP LOCKED"), values);
        }
        List<Long> found = bound(handle.createQuery(query.formatted("seq") + " " + first), values)
                .mapTo(Long.class)
                .list();
        return bound(
                        handle.createQuery(query.formatted(columns) + " AND seq IN (<found>) FOR UPDATE SKIP LOCKED"),
                        values)
                .bindList(EmptyHandling.NULL_KEYWORD, "found", found);
    }

    private static Query bound(Query query, Map<String, ?> values) {
        values.forEach((name, value) -> {
            Query unused = value instanceof List<?> list ? query.bindList(name, list) : query.bind(name, value);
        });
        return query;
    }

    /**
     * Returns which of them have an earlier unpublished event of their key. This is a separate statement because, on
     * MariaDB and MySQL, a locking statement also returns rows that its subqueries do not see.
     */
    private Set<Long> behind(Handle handle, List<Claimed> due) {
        List<Long> ordered =
                due.stream().filter(Claimed::isOrdered).map(Claimed::seq).toList();
        return ordered.isEmpty()
                ? Set.of()
                : handle.createQuery("""
                        SELECT e.seq FROM %1$s e WHERE e.seq IN (<seqs>) AND e.seq > (
                            SELECT b.seq FROM %1$s b
                            WHERE b.topic = e.topic AND b.order_key = e.order_key AND b.published_at IS NULL %2$s)
                        """.formatted(
                                outbox.table(),
                                DatabaseProduct.of(handle).first(1, "b.topic, b.order_key, b.published_at", "b.seq")))
                        .bindList("seqs", ordered)
                        .mapTo(Long.class)
                        .set();
    }

    private void putBehind(Handle handle, List<Claimed> due, Set<Long> behind) {
        Map<String, Long> lines = new TreeMap<>();
        for (Claimed event : due) {
            if (behind.contains(event.seq())) {
                lines.merge(event.event().orderKey().orElseThrow(), event.seq(), Math::min);
            }
        }
        Set<Long> waiting = new HashSet<>();
        lines.forEach((key, first) -> {
            List<Long> line = lineOf(handle, key, first);
            waiting.addAll(line);
            if (line.isEmpty()) {
                held.merge(key, 1, Integer::sum);
            }
        });
        if (!waiting.isEmpty()) {
            handle.createUpdate("UPDATE %s SET due_at = NULL WHERE seq IN (<seqs>)".formatted(outbox.table()))
                    .bindList("seqs", List.copyOf(waiting))
                    .execute();
        }
    }

    /**
     * Returns the due events of a key, starting at one, if there is an event in front of them that this can lock, so
     * that nobody publishes or discards that one in the meantime.
     */
    private List<Long> lineOf(Handle handle, String key, long first) {
        String due = "seq >= :seq AND parked_at IS NULL AND due_at <= "
                + DatabaseProduct.of(handle).now();
        return lock(handle, key, "seq < :seq", 1, first).isEmpty()
                ? List.of()
                : lock(handle, key, due, LONGEST_LINE, first);
    }

    private List<Long> lock(Handle handle, String key, String condition, int limit, long seq) {
        return lockFirst(
                        handle,
                        "seq",
                        Outbox.OF_A_KEY + " AND " + condition,
                        DatabaseProduct.of(handle).first(limit, Outbox.KEY, "seq"),
                        Map.of("topic", topic, "key", key, "seq", seq))
                .mapTo(Long.class)
                .list();
    }

    private void claim(Handle handle, DatabaseProduct database, List<Claimed> events) {
        handle.createUpdate("UPDATE %s SET claim = :claim, due_at = %s WHERE seq IN (<seqs>)"
                        .formatted(outbox.table(), database.secondsFromNow()))
                .bind("claim", database.bound(token))
                .bind("seconds", DatabaseProduct.seconds(lasts))
                .bindList("seqs", events.stream().map(Claimed::seq).toList())
                .execute();
    }
}
