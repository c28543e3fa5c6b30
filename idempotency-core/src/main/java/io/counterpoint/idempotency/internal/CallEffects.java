package io.counterpoint.idempotency.internal;

import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Outcome;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What is known about the effects of several calls: those with one attempt, or all calls of one HTTP request,
 * regardless of their keys. Thread-safe.
 */
public final class CallEffects {

    private static final ThreadLocal<@Nullable CallEffects> OF_THREAD = new ThreadLocal<>();

    private enum Effect {
        /** A call could not determine it. */
        POSSIBLE,
        /** The operation has returned its result. */
        THERE
    }

    /** Counts calls with their own keys on unbound threads: any running request may have made them. */
    private static final AtomicLong STRAYS = new AtomicLong();

    /**
     * Whether this process has ever counted anything. Until then, no call can have been made by a request on another
     * thread.
     */
    private static volatile boolean counts;

    private static final Set<Call> RUNNING_STRAYS = ConcurrentHashMap.newKeySet();

    /** The last stray whose effect exists or may exist. */
    private static final AtomicLong LAST_WITH_EFFECT = new AtomicLong();

    private final long straysBefore = countStrays();
    private final AtomicInteger running = new AtomicInteger();
    private final Map<IdempotencyKey, Effect> known = new ConcurrentHashMap<>();
    private volatile boolean committed;
    private volatile boolean elsewhere;
    private volatile boolean ended;

    /** Creates an instance without calls. */
    public CallEffects() {}

    /** From here on, each stray has a number. The order matters: a later stray has a higher number. */
    private static long countStrays() {
        counts = true;
        return STRAYS.get();
    }

    /**
     * Counts the calls of this thread from now on, replacing any earlier binding.
     *
     * @return the binding; close it on this thread
     */
    public Binding bind() {
        CallEffects before = OF_THREAD.get();
        OF_THREAD.set(this);
        return () -> {
            if (before == null) {
                OF_THREAD.remove();
            } else {
                OF_THREAD.set(before);
            }
        };
    }

    /** Records that this thread has committed something, inside or outside a call. */
    public static void committed() {
        CallEffects bound = OF_THREAD.get();
        if (bound != null) {
            bound.committed = true;
        }
    }

    /** {@return whether a bound thread has committed something} */
    public boolean isCommitted() {
        return committed;
    }

    /** {@return whether this counts the calls of the current thread} */
    public boolean isBound() {
        return OF_THREAD.get() == this;
    }

    /**
     * Records that the request continues on threads that are not bound to it. A call with its own key on an unbound
     * thread may then belong to this request if it ran after the request began.
     */
    public void goesOnElsewhere() {
        elsewhere = true;
    }

    /**
     * Records that the request has ended. If a thread is still bound to it, the calls of that thread no longer count.
     */
    public void end() {
        ended = true;
    }

    /** {@return whether a call has or may have an effect, or has not ended} */
    public boolean mayExist() {
        return running.get() > 0 || !known.isEmpty();
    }

    /**
     * {@return whether the request {@linkplain #goesOnElsewhere continues elsewhere} and an additional call may belong
     * to it}
     */
    public boolean mayExistElsewhere() {
        // When a call ends, its effect is counted before it stops counting as running.
        return elsewhere
                && (RUNNING_STRAYS.stream().anyMatch(call -> call.stray > straysBefore)
                        || LAST_WITH_EFFECT.get() > straysBefore);
    }

    /**
     * Returns whether the effect of a key exists.
     *
     * @param key the key
     * @return whether its operation has returned its result
     */
    public boolean isThere(IdempotencyKey key) {
        return known.get(key) == Effect.THERE;
    }

    private void mayBeThere(IdempotencyKey key) {
        known.putIfAbsent(key, Effect.POSSIBLE);
    }

    /** A call, counted by its attempt and its request. */
    public static final class Call {
        private static final Call UNCOUNTED =
                new Call(IdempotencyKey.inScope("-").operation("-").value("-"), null, null, 0);

        private final IdempotencyKey key;
        private final @Nullable CallEffects own;
        private final @Nullable CallEffects bound;
        private final long stray;

        private Call(IdempotencyKey key, @Nullable CallEffects own, @Nullable CallEffects bound, long stray) {
            this.key = key;
            this.own = own;
            this.bound = bound;
            this.stray = stray;
        }

        /**
         * Begins a call on this thread.
         *
         * @param key the key
         * @param own the counter of its attempt, if it has one
         * @return the call
         */
        public static Call begin(IdempotencyKey key, @Nullable CallEffects own) {
            if (!counts) {
                return UNCOUNTED;
            }
            CallEffects ofThread = OF_THREAD.get();
            CallEffects bound = ofThread == null || ofThread.ended ? null : ofThread;
            if (own != null) {
                own.running.incrementAndGet();
            }
            if (bound != null) {
                bound.running.incrementAndGet();
            }
            Call call = new Call(key, own, bound, own == null && bound == null ? STRAYS.incrementAndGet() : 0);
            if (call.stray > 0) {
                RUNNING_STRAYS.add(call);
            }
            return call;
        }

        private void strayEnded(boolean mayHaveEffect) {
            if (stray > 0) {
                if (mayHaveEffect) {
                    LAST_WITH_EFFECT.accumulateAndGet(stray, Math::max);
                }
                RUNNING_STRAYS.remove(this);
            }
        }

        /**
         * Records that the call ended without an outcome. An exception of the work was rolled back, or is declared to
         * prove that there is no effect. An {@link Error}, such as an {@link OutOfMemoryError}, may be thrown anywhere,
         * even after a commit.
         *
         * @param thrown what the call throws
         */
        public void ended(Throwable thrown) {
            boolean leavesDoubt = thrown instanceof IdempotencyException exception
                    ? exception.reason().effect() != IdempotencyException.Effect.NONE
                    : thrown instanceof Error;
            if (own != null) {
                ended(own, leavesDoubt);
            }
            if (bound != null) {
                ended(bound, leavesDoubt);
            }
            strayEnded(leavesDoubt);
        }

        private void ended(CallEffects effects, boolean leavesDoubt) {
            if (leavesDoubt) {
                effects.mayBeThere(key);
            }
            effects.running.decrementAndGet();
        }

        /**
         * Records that the call ended.
         *
         * @param outcome its outcome
         * @return whether the attempt counts its calls and the operation has already returned a result for it
         */
        public boolean ended(Outcome<?> outcome) {
            boolean repeated = own != null && ended(own, outcome);
            if (bound != null) {
                ended(bound, outcome);
            }
            strayEnded(outcome instanceof Outcome.Completed || outcome instanceof Outcome.InProgress);
            return repeated;
        }

        private boolean ended(CallEffects effects, Outcome<?> outcome) {
            boolean repeated = false;
            if (outcome instanceof Outcome.Completed) {
                repeated = effects.known.put(key, Effect.THERE) == Effect.THERE;
            } else if (outcome instanceof Outcome.InProgress) {
                effects.mayBeThere(key);
            } else if (outcome instanceof Outcome.Rejected) {
                effects.known.remove(key, Effect.POSSIBLE);
            }
            effects.running.decrementAndGet();
            return repeated;
        }
    }

    /** Counts the calls of a thread until it is closed. */
    @FunctionalInterface
    public interface Binding extends AutoCloseable {
        @Override
        void close();
    }
}
