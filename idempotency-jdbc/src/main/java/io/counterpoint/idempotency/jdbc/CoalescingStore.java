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
 * A store that coalesces the reads of another; all else it forwards. Coalescing begins where more than sixteen callers of this
 * very store read at the same time, or fewer that wait longer for connections than for answers. One statement then serves the
 * callers that come while others read. No caller waits for others to come. What is read and promised is the same. Worth it
 * where many threads replay, most of all over a network or with a small pool; make one store for all operations. H2 reads one
 * record after the other. Where a statement for many fails, each reads for itself: a dead database is noticed in up to twice
 * the time.
 *
 * <pre>{@code
 * IdempotencyStore<Connection> store = CoalescingStore.of(JdbcIdempotencyStore.on(dataSource), () -> "orders");
 * }</pre>
 *
 * <p>Only callers of one database share a statement, and one of their own threads sends it. Where the data source or the {@code
 * search_path} depends on the calling thread, such as on its tenant, callers of different tenants have to name different
 * databases: otherwise one is answered with the other's record. Of a store over several databases, decorate the shards.
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
     * @param database names what the calling thread is routed to, by a value with {@code equals} and {@code hashCode};
     *     always the same value where all threads mean one table, such as {@code () -> "orders"}. Asked once for each
     *     read, on the thread of the caller; what it throws, the read throws
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
