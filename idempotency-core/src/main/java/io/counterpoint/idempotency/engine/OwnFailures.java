package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.Outcome;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What callers' own work threw before another leader's answer stood. A record has no field but its components, and those of
 * an outcome are what users match and compare. So this is kept beside it, by identity, as long as the outcome is in use.
 */
public final class OwnFailures {

    private static final Map<Key, Throwable> THROWN = new ConcurrentHashMap<>();
    private static final ReferenceQueue<Outcome<?>> COLLECTED = new ReferenceQueue<>();

    private OwnFailures() {}

    /** The outcome itself, now with what the work threw. */
    static <O extends Outcome<?>> O with(O outcome, Optional<Throwable> thrown) {
        for (Reference<?> gone = COLLECTED.poll(); gone != null; gone = COLLECTED.poll()) {
            THROWN.remove(gone);
        }
        thrown.ifPresent(own -> THROWN.put(new Key(outcome), own));
        return outcome;
    }

    /** What the work threw in the call that made this very object. */
    public static Optional<Throwable> of(Outcome<?> outcome) {
        try {
            return Optional.ofNullable(THROWN.get(new Key(outcome)));
        } finally {
            // Otherwise the caller's last question could come after the collector has taken the outcome.
            Reference.reachabilityFence(outcome);
        }
    }

    /** Stands for one object, equal or not to others, without keeping it in use. */
    private static final class Key extends WeakReference<Outcome<?>> {
        private final int hash;

        Key(Outcome<?> outcome) {
            super(outcome, COLLECTED);
            hash = System.identityHashCode(outcome);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return this == other || other instanceof Key that && get() != null && get() == that.get();
        }

        @Override
        public int hashCode() {
            return hash;
        }
    }
}
