package io.counterpoint.idempotency;

import io.counterpoint.idempotency.engine.Engine;
import io.counterpoint.idempotency.engine.OperationSettings;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/**
 * The common base of operations with an external effect: settles their unresolved attempts.
 *
 * @param <S> what a record stores
 * @param <R> the type of the result
 */
abstract sealed class AbstractExternalOperation<S, R> implements Resolvable<R>
        permits ExternalOperation, PlannedExternalOperation, ProviderOperation {

    final OperationSettings<?, S> settings;
    private final Function<? super R, ? extends S> stored;
    private final Function<Outcome<S>, Outcome<R>> told;

    AbstractExternalOperation(
            OperationSettings<?, S> settings,
            Function<? super R, ? extends S> stored,
            Function<Outcome<S>, Outcome<R>> told) {
        this.settings = settings;
        this.stored = stored;
        this.told = told;
    }

    @Override
    public String name() {
        return settings.name();
    }

    @Override
    public Optional<Outcome<R>> settle(IdempotencyKey key) {
        return Engine.settle(settings, key).map(told);
    }

    @Override
    public Optional<Outcome<R>> resolveSucceeded(IdempotencyKey key, R result) {
        return resolve(key, Optional.of(stored.apply(result)), Optional.empty());
    }

    @Override
    public Optional<Outcome<R>> resolvePlanned(IdempotencyKey key) {
        return resolve(key, Optional.empty(), Optional.empty());
    }

    @Override
    public Optional<Outcome<R>> resolveFailed(IdempotencyKey key, Failure failure) {
        return resolve(key, Optional.empty(), Optional.of(failure));
    }

    private Optional<Outcome<R>> resolve(IdempotencyKey key, Optional<S> result, Optional<Failure> failure) {
        return Engine.resolve(settings, key, result, failure).map(told);
    }

    @Override
    public boolean isUnresolved(IdempotencyKey key) {
        return Engine.pending(settings, key).isPresent();
    }

    @Override
    public boolean knowsResult(IdempotencyKey key) {
        return Engine.pending(settings, key)
                .flatMap(pending -> settings.payloads().resultIn(key, pending))
                .isPresent();
    }

    /** {@return how long a record answers retries} */
    public Duration retention() {
        return settings.retention();
    }

    /**
     * Returns the full key of an attempt.
     *
     * @param attempt the attempt
     * @return its key for this operation
     */
    public IdempotencyKey keyOf(Attempt attempt) {
        return attempt.keyFor(settings.name());
    }
}
