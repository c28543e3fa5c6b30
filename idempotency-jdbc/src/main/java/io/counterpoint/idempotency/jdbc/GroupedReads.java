package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * {@link CoalescedReads} for each group of callers. Only callers of one group share a statement, and the thread that
 * sends it is of that group. A group exists only while it has callers.
 */
final class GroupedReads {

    private final Supplier<?> group;
    private final Supplier<CoalescedReads> reads;
    private final ConcurrentMap<Optional<?>, Group> groups = new ConcurrentHashMap<>();

    /**
     * Makes it.
     *
     * @param group names the group of the calling thread; null is a group too
     * @param reads makes the reads of one group
     */
    GroupedReads(Supplier<?> group, Supplier<CoalescedReads> reads) {
        this.group = group;
        this.reads = reads;
    }

    Optional<IdempotencyRecord> read(IdempotencyKey key) {
        Optional<?> own = Optional.ofNullable(group.get());
        Group joined =
                groups.compute(own, (unused, present) -> (present == null ? new Group(reads.get()) : present).joined());
        try {
            return joined.reads.read(key);
        } finally {
            groups.computeIfPresent(own, (unused, present) -> present.left());
        }
    }

    /** How many groups have callers at this moment. */
    int size() {
        return groups.size();
    }

    /** The callers of one group. */
    private static final class Group {
        final CoalescedReads reads;
        /** Read and written under the lock of the map. */
        private int callers;

        Group(CoalescedReads reads) {
            this.reads = reads;
        }

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
