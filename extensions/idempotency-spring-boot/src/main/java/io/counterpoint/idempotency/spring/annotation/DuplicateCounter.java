package io.counterpoint.idempotency.spring.annotation;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.function.CheckedSupplier;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Counts the duplicates that reach this process, and <strong>protects nothing</strong>: each call runs, and nothing is
 * replayed or rejected. Use it in a live service before protecting it. With {@code idempotency.mode=count}, annotated
 * methods report their calls to a bean of this type.
 *
 * <p>It keeps keys in memory and uses no store, so it cannot delay or fail a call and leaves nothing that a protecting
 * node could mistake for a record. The counts are a lower bound: duplicates that reach another process are not seen,
 * nor are those of keys forgotten after a restart, after the retention, or because too many newer keys arrived.
 *
 * <p>Thread-safe. A key takes about 300 bytes; only a hash of key and scope is kept.
 */
public final class DuplicateCounter {

    /** The number of keys that a counter remembers; the oldest are forgotten. */
    static final int KEYS = 100_000;

    /** The outcome that an operation with default settings would have had. The work ran in any case. */
    public enum Answer {
        /** It would have run the work: the key is new here. */
        FIRST,
        /** It would have returned the stored result. */
        REPLAYED,
        /** It would have reported that the first call is still running. */
        IN_PROGRESS,
        /**
         * It would have reported that the attempt failed, because the first call threw. An operation with {@code
         * releaseOn} may run the work instead.
         */
        REJECTED,
        /** It would have rejected the key, which was previously used for a different request. */
        KEY_REUSED,
        /** The call had no key. */
        NO_KEY,
        /** It would have rejected the call for another reason, such as an unknown caller or an open transaction. */
        REFUSED
    }

    private final BiConsumer<? super String, ? super Answer> reports;
    private final Duration retention;
    private final InstantSource clock;
    /** By the hash of the key. Guarded by its own lock. */
    private final Map<String, Seen> known = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Seen> eldest) {
            return size() > KEYS;
        }
    };

    /**
     * Creates a counter.
     *
     * @param reports receives each answer with the name of its operation, on the thread of the call; its exceptions are
     *     ignored
     * @param retention how long a key is remembered, counted from its first call
     * @throws IllegalArgumentException if {@code retention} is not positive
     */
    public DuplicateCounter(BiConsumer<? super String, ? super Answer> reports, Duration retention) {
        this(reports, retention, InstantSource.system());
    }

    DuplicateCounter(BiConsumer<? super String, ? super Answer> reports, Duration retention, InstantSource clock) {
        if (retention.isNegative() || retention.isZero()) {
            throw new IllegalArgumentException(
                    "A counter must remember keys for a positive time; found " + retention + ".");
        }
        this.reports = Objects.requireNonNull(reports, "reports");
        this.retention = retention;
        this.clock = clock;
    }

    /** Runs the work once and counts the outcome that an operation would have had. */
    <R extends @Nullable Object, X extends Exception> R count(
            String operation, Attempt attempt, CheckedSupplier<R, X> work) throws X {
        Seen first = begun(operation, attempt);
        boolean returned = false;
        try {
            R result = work.get();
            returned = true;
            return result;
        } finally {
            if (first != null) {
                first.next = returned ? Answer.REPLAYED : Answer.REJECTED;
            }
        }
    }

    /** Counts a call without an attempt, or one that would have been rejected before its key was examined. */
    void count(String operation, Answer answer) {
        try {
            reports.accept(operation, answer);
        } catch (RuntimeException | Error ignored) {
            // Counting must not affect a call.
        }
    }

    /** Returns what later calls with the key are compared with, if this is the first. */
    private @Nullable Seen begun(String operation, Attempt attempt) {
        Seen first = null;
        Answer answer;
        try {
            Seen made = new Seen(attempt.request(), clock.instant());
            Seen before = firstOf(attempt.keyFor(operation).hash(), made);
            first = before == made ? made : null;
            answer = before == made
                    ? Answer.FIRST
                    : attempt.matches(before.fingerprint) ? before.next : Answer.KEY_REUSED;
        } catch (RuntimeException refused) {
            answer = Answer.REFUSED;
        }
        count(operation, answer);
        return first;
    }

    private Seen firstOf(String key, Seen made) {
        synchronized (known) {
            Seen before = known.get(key);
            if (before != null && made.at.isBefore(before.at.plus(retention))) {
                return before;
            }
            known.remove(key);
            known.put(key, made);
            return made;
        }
    }

    /** The first call with a key. */
    private static final class Seen {
        private final Fingerprint fingerprint;
        private final Instant at;
        /** What a duplicate would currently get. */
        private volatile Answer next = Answer.IN_PROGRESS;

        Seen(Fingerprint fingerprint, Instant at) {
            this.fingerprint = fingerprint;
            this.at = at;
        }
    }
}
