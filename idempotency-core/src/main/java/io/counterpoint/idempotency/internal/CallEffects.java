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
 * What is known about the effects of several calls: those with one attempt, or all those of one HTTP request,
 * regardless of their keys. Threads may share it.
 */
public final class CallEffects {

    private static final ThreadLocal<@Nullable CallEffects> OF_THREAD = new ThreadLocal<>();

    private enum Effect {
        /** A call could not determine it. */
        POSSIBLE,
        /** The operation has returned its result. */
        THERE
    }

    /** Calls under keys of their own, on threads that are bound to nothing: any request that runs may have made them. */
    private static final AtomicLong STRAYS = new AtomicLong();

    /** Whether this process has ever counted anything. Until then no call can be one that a request made elsewhere. */
    private static volatile boolean counts;

    private static final Set<Call> RUNNING_STRAYS = ConcurrentHashMap.newKeySet();

    /** The last stray whose effect is there, or may be. */
    private static final AtomicLong LAST_WITH_EFFECT = new AtomicLong();

    private final long straysBefore = countStrays();
    private final AtomicInteger running = new AtomicInteger();
    private final Map<IdempotencyKey, Effect> known = new ConcurrentHashMap<>();
    private volatile boolean committed;
    private volatile boolean elsewhere;
    private volatile boolean ended;

    /** Of no calls yet. */
    public CallEffects() {}

    /** From here on each stray has a number. The order matters: one that begins later has a higher one. */
    private static long countStrays() {
        counts = true;
        return STRAYS.get();
    }

    /**
     * Counts what this thread calls from now on, instead of what was bound to it before.
     *
     * @return ends that, on this thread
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

    /** {@return whether this counts what the current thread calls} */
    public boolean isBound() {
        return OF_THREAD.get() == this;
    }

    /**
     * The request continues on threads that are not bound to it. From then on, a call with its own key on an unbound
     * thread may belong to this request, if it ran after this request began.
     */
    public void goesOnElsewhere() {
        elsewhere = true;
    }

    /** The request has ended. From now on, calls of a thread that is still bound to it don't count as its own. */
    public void end() {
        ended = true;
    }

    /** {@return whether a call has its effect or may have it, or has not ended} */
    public boolean mayExist() {
        return running.get() > 0 || !known.isEmpty();
    }

    /** {@return whether the request {@linkplain #goesOnElsewhere goes on elsewhere}, and one more call may be its own} */
    public boolean mayExistElsewhere() {
        // A call that ends is counted with its effect before it runs no longer.
        return elsewhere
                && (RUNNING_STRAYS.stream().anyMatch(call -> call.stray > straysBefore)
                        || LAST_WITH_EFFECT.get() > straysBefore);
    }

    /**
     * Whether the effect of a key exists.
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

    /** A call, which is counted by its attempt and by its request. */
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
         * Begins, on this thread.
         *
         * @param key the key
         * @param own the attempt's counts, if it counts
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
         * The call has ended with an exception instead of an outcome. An exception thrown by the work was rolled back,
         * or is declared to prove that there is no effect. An {@link Error}, such as out of memory, can come from any
         * line, even after a commit.
         *
         * @param thrown what it throws
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
         * It has ended.
         *
         * @param outcome its outcome
         * @return whether the attempt counts its calls and has already got its result from the operation
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

    /** The counter of a thread's calls. */
    @FunctionalInterface
    public interface Binding extends AutoCloseable {
        @Override
        void close();
    }
}
