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
 * sixteen callers of this instance read at the same time, or fewer if they wait longer for connections than for
 * replies. One statement then serves the callers that arrive while others read; no caller waits for others to arrive.
 * Results and promises are the same. This pays off if many threads replay, especially over a network or with a small
 * pool; create one store for all operations. H2 reads one record after the other. If a statement for many callers
 * fails, each reads for itself, so detecting a dead database can take twice as long.
 *
 * <pre>{@code
 * IdempotencyStore<Connection> store = CoalescingStore.of(JdbcIdempotencyStore.on(dataSource), () -> "orders");
 * }</pre>
 *
 * <p>Only callers of the same database share a statement, and one of their own threads sends it. If the data source or
 * the {@code search_path} depends on the calling thread, such as on its tenant, callers of different tenants must name
 * different databases: otherwise one would get the other's record. For a store over several databases, decorate the
 * shards.
 *
 * @param <C> the handle that domain code gets
 */
public final class CoalescingStore<C> extends ForwardingStore<C> {

    private final int few;
    private final Supplier<?> database;
    /** Contains only groups that have callers. */
    private final ConcurrentMap<Optional<?>, Group> groups = new ConcurrentHashMap<>();

    /** Creates a store with a different number of callers per database that read for themselves. */
    CoalescingStore(IdempotencyStore<C> store, int few, Supplier<?> database) {
        super(store);
        this.few = few;
        this.database = Objects.requireNonNull(database, "database");
    }

    /**
     * Decorates a store.
     *
     * @param <C> the handle that domain code gets
     * @param store the store to decorate
     * @param database returns what the calling thread is routed to, as a value with {@code equals} and {@code
     *     hashCode}; always the same value, such as {@code () -> "orders"}, if all threads use one table. Called once
     *     per read, on the caller's thread; its exceptions propagate to the caller
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

    /** Returns the number of groups that currently have callers. */
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
        /** Guarded by the lock of the map. */
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
