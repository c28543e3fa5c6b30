package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.ForwardingStore;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A store that coalesces the reads of another store and forwards everything else. Coalescing begins when more than
 * sixteen callers of this store read at the same time, or fewer callers that wait longer for connections than for
 * replies. One statement then serves the callers that arrive while others are reading. No caller waits for others to
 * arrive. Results and guarantees are the same. It pays off if many threads replay, especially over a network or with a
 * small pool. Use one store for all operations. On H2, records are read one by one. If a shared statement fails, each
 * caller reads on its own, so detecting a dead database takes up to twice as long.
 *
 * <pre>{@code
 * IdempotencyStore<Connection> store = CoalescingStore.of(JdbcIdempotencyStore.on(dataSource), () -> "orders");
 * }</pre>
 *
 * <p>Only callers of the same database share a statement, which one of their threads sends. If the data source or the
 * {@code search_path} depends on the calling thread, for example on its tenant, callers of different tenants must name
 * different databases; otherwise one would get the other's record. For a store over several databases, decorate the
 * shards.
 *
 * @param <C> the handle that domain code gets
 */
public final class CoalescingStore<C> extends ForwardingStore<C> {

    private final int few;
    private final Supplier<?> database;
    /** Only those that have callers. */
    private final ConcurrentMap<Optional<?>, Group> groups = new ConcurrentHashMap<>();

    /** With another number of callers of a database that read alone. */
    CoalescingStore(IdempotencyStore<C> store, int few, Supplier<?> database) {
        super(store);
        this.few = few;
        this.database = Objects.requireNonNull(database, "database");
    }

    /**
     * Decorates a store.
     *
     * @param <C> the handle that domain code gets
     * @param store the store that reads
     * @param database names the database that the calling thread is routed to, as a value with {@code equals} and
     *     {@code hashCode}; a constant such as {@code () -> "orders"} if all threads use the same table. Called once
     *     per read, on the caller's thread; the read throws whatever it throws
     * @return the store with coalesced reads
     */
    public static <C> CoalescingStore<C> of(IdempotencyStore<C> store, Supplier<?> database) {
        return new CoalescingStore<>(store, CoalescedReads.FEW, database);
    }

    @Override
    public Optional<IdempotencyRecord> read(IdempotencyKey key) {
        store.requireNotInside();
        Optional<?> own = Optional.ofNullable(database.get());
        Group joined = groups.compute(own, (unused, present) -> (present == null ? new Group() : present).joined());
        try {
            return joined.reads.read(key);
        } finally {
            groups.computeIfPresent(own, (unused, present) -> present.left());
        }
    }

    /** How many groups have callers at this moment. */
    int groups() {
        return groups.size();
    }

    @Override
    public String toString() {
        return "CoalescingStore[" + store + "]";
    }

    /** The callers of one database. */
    private final class Group {
        final CoalescedReads reads = new CoalescedReads(store, new AdaptiveLimit(few));
        /** Read and written under the lock of the map. */
        private int callers;

        Group joined() {
            callers++;
            return this;
        }

        @Nullable
        Group left() {
            return --callers == 0 ? null : this;
        }
    }
}
