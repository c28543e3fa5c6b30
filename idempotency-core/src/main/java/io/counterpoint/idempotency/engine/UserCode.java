package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.UnstorableResultException;
import io.counterpoint.idempotency.engine.Exceptions.Carried;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.Session;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The user functions of an operation, and how the engine calls them. Any of them may throw anything.
 *
 * @param <C> the handle that domain code gets
 * @param <R> the type of the result
 * @param search finds a committed effect, if the operation can
 * @param then the follow-up of an external effect in the store's database, if there is one
 * @param releaseOn true for exceptions that release the key
 * @param noEffectWhen true for exceptions of external work that mean that it had no effect
 * @param refusedWhen true for exceptions of external work or its lookup that mean a permanent refusal
 * @param retryOn true for exceptions that another run may not encounter
 * @param describeFailure describes an exception; null for the default
 */
public record UserCode<C, R>(
        @Nullable Search<C, R> search,
        @Nullable Then<C, R> then,
        Predicate<? super Throwable> releaseOn,
        Predicate<? super Throwable> noEffectWhen,
        Predicate<? super Throwable> refusedWhen,
        Predicate<? super Throwable> retryOn,
        @Nullable Function<? super Throwable, Failure> describeFailure) {

    /**
     * The user's work.
     *
     * @param <C> the handle that domain code gets
     * @param <R> the type of the result
     */
    public interface Work<C, R> {
        /**
         * Runs the work.
         *
         * @param handle supplies the handle; an external operation has none
         * @param key the key
         * @param plan the plan, if there is one
         * @return the result
         * @throws Exception whatever user code throws
         */
        R run(Supplier<C> handle, IdempotencyKey key, Optional<R> plan) throws Exception;
    }

    /**
     * The user's lookup.
     *
     * @param <C> the handle that domain code gets
     * @param <R> the type of the result
     */
    public interface Search<C, R> {
        /**
         * Looks for the effect.
         *
         * @param handle supplies the handle; an external operation has none
         * @param key the key
         * @param plan the stored plan, if there is one
         * @return what is known about the effect
         * @throws Exception whatever user code throws
         */
        Lookup<R> find(Supplier<C> handle, IdempotencyKey key, Optional<R> plan) throws Exception;
    }

    /**
     * The user's follow-up of an external effect.
     *
     * @param <C> the handle that domain code gets
     * @param <R> the type of the result
     */
    public interface Then<C, R> {
        /**
         * Runs the follow-up, in one transaction with the mark.
         *
         * @param handle the handle
         * @param key the key
         * @param result the result of the effect
         * @throws Exception whatever user code throws
         */
        void follow(C handle, IdempotencyKey key, R result) throws Exception;
    }

    /**
     * The user's work for attempts of a batch.
     *
     * @param <C> the handle that domain code gets
     * @param <R> the type of the result
     */
    public interface JointWork<C, R> {
        /**
         * Runs the work.
         *
         * @param handle supplies the handle
         * @param leading the indexes of the attempts to work on, in the order of the call
         * @param begins receives the index in that list of each attempt whose own work begins; not called by joint work
         * @return the results, in the same order
         * @throws Exception whatever user code throws
         */
        List<R> run(Supplier<C> handle, List<Integer> leading, IntConsumer begins) throws Exception;
    }

    static <R> R plan(IdempotencyKey key, Supplier<? extends R> planner) {
        R plan = planner.get();
        if (plan == null) {
            throw new UnstorableResultException(
                    Reason.PLAN_UNSTORABLE,
                    key,
                    "the plan is null; return Done.DONE if there is nothing to plan",
                    null);
        }
        return plan;
    }

    /** Runs the work of a call, or its follow-up. A checked exception leaves it {@linkplain Carried carried}. */
    static <C, R> R run(Call<C, R> call, Work<C, R> work, Supplier<C> handle, Optional<R> planned) {
        call.runs++;
        R result = call.interrupts().shownTo(() -> work.run(handle, call.key, planned));
        if (result == null) {
            throw new WithoutResult("the work returned null; return Done.DONE if there is nothing to return");
        }
        return result;
    }

    /** The handle of an external effect: there is none, and nothing requests it. */
    static <C> Supplier<C> noHandle(IdempotencyKey key) {
        return () -> {
            throw new IllegalStateException(key + ": an external operation has no handle.");
        };
    }

    /** User code returned null. Predicates are not applied to this, because user code has thrown nothing. */
    static final class WithoutResult extends RuntimeException {
        private static final long serialVersionUID = 1L;

        WithoutResult(String what) {
            super(what);
        }
    }

    boolean hasLookUp() {
        return search != null;
    }

    boolean hasFollowUp() {
        return then != null;
    }

    /** The follow-up of a known effect, as work that returns the same result. */
    Work<C, R> followUp() {
        Then<C, R> present = Objects.requireNonNull(then);
        return (handle, key, known) -> {
            R result = known.orElseThrow();
            present.follow(handle.get(), key, result);
            return result;
        };
    }

    /** Looks for the effect, in its own transaction if the effect is in the store's database. */
    Lookup<R> find(Call<C, R> call, Optional<R> planned) {
        Search<C, R> present = search;
        if (present == null) {
            return Lookup.notYet();
        }
        try {
            if (call.settings.protocol().isExternal()) {
                return find(present, noHandle(call.key), call.key, planned);
            }
            try (Session<C> session = call.store.open(call.key)) {
                ScopedTransaction<C> transaction = new ScopedTransaction<>(call);
                return transaction.run(session, (steps, scope) -> {
                    transaction.enter(scope);
                    Lookup<R> found = find(present, scope::handle, call.key, planned);
                    scope.beforeEncoding();
                    return found;
                });
            }
        } catch (Exception | Error caught) {
            Throwable thrown = Carried.in(caught);
            call.interrupts().note(thrown);
            if (!(thrown instanceof WithoutResult) && says(refusedWhen, thrown)) {
                return Lookup.refused(describe(call.store, thrown));
            }
            call.tell(IdempotencyEvent.LookupFailed::new, thrown);
            throw new OutcomeUnknownException(Reason.LOOKUP_FAILED, call.key, thrown);
        }
    }

    private static <C, R> Lookup<R> find(
            Search<C, R> search, Supplier<C> handle, IdempotencyKey key, Optional<R> planned) {
        try {
            Lookup<R> found = search.find(handle, key, planned);
            if (found == null) {
                throw new WithoutResult("the lookup returned null; return Lookup.notYet() instead");
            }
            return found;
        } catch (RuntimeException thrown) {
            throw thrown;
        } catch (Exception thrown) {
            throw new Carried(thrown);
        }
    }

    boolean releases(Throwable thrown) {
        return says(releaseOn, thrown);
    }

    boolean runsAgainOn(Throwable thrown) {
        return says(retryOn, thrown);
    }

    boolean provesNoEffect(Throwable thrown) {
        return says(releaseOn, thrown) || says(noEffectWhen, thrown) || says(refusedWhen, thrown);
    }

    /**
     * Evaluates a user predicate. One that throws counts as false.
     *
     * @param predicate the predicate
     * @param thrown the exception to test
     * @return its result
     */
    public static boolean says(Predicate<? super Throwable> predicate, Throwable thrown) {
        try {
            return predicate.test(thrown);
        } catch (Throwable undecided) {
            Exceptions.suppress(thrown, undecided);
            return false;
        }
    }

    Failure describe(IdempotencyStore<C> store, Throwable thrown) {
        return describe(
                describeFailure == null ? any -> store.describe(any).orElseGet(() -> Failure.of(any)) : describeFailure,
                thrown);
    }

    /**
     * Evaluates a user description. If it throws, the default applies.
     *
     * @param describe the description; null for the default
     * @param thrown the exception to describe
     * @return its result
     */
    public static Failure describe(@Nullable Function<? super Throwable, Failure> describe, Throwable thrown) {
        try {
            return describe == null
                    ? Failure.of(thrown)
                    : Objects.requireNonNull(describe.apply(thrown), "The description of a failure is null.");
        } catch (Throwable indescribable) {
            Exceptions.suppress(thrown, indescribable);
            return Failure.of(thrown);
        }
    }
}
