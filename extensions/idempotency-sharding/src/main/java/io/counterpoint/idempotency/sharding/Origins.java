package io.counterpoint.idempotency.sharding;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Tracks which shard threw an exception, as long as the exception is reachable. Compared by identity. */
final class Origins<S> {

    /** Longer chains of causes are cycles. */
    private static final int LONGEST_CHAIN = 100;

    private final Map<Thrown, S> shards = new ConcurrentHashMap<>();
    private final ReferenceQueue<Throwable> collected = new ReferenceQueue<>();

    private static final class Thrown extends WeakReference<Throwable> {
        private final int hash;

        Thrown(Throwable thrown, ReferenceQueue<Throwable> queue) {
            super(thrown, queue);
            this.hash = System.identityHashCode(thrown);
        }

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        public boolean equals(Object other) {
            Throwable mine = get();
            return other == this || (mine != null && other instanceof Thrown thrown && thrown.get() == mine);
        }
    }

    /** Records that this shard threw the exception, replacing any earlier origin. */
    void note(Throwable thrown, S shard) {
        for (Reference<?> gone = collected.poll(); gone != null; gone = collected.poll()) {
            shards.remove(gone);
        }
        shards.put(new Thrown(thrown, collected), shard);
    }

    /** Returns the shard that threw the exception or one of its causes. */
    Optional<S> of(Throwable thrown) {
        Throwable at = thrown;
        for (int depth = 0; at != null && depth < LONGEST_CHAIN; depth++) {
            S shard = shards.get(new Thrown(at, collected));
            if (shard != null) {
                return Optional.of(shard);
            }
            at = at.getCause();
        }
        return Optional.empty();
    }

    int size() {
        return shards.size();
    }
}
