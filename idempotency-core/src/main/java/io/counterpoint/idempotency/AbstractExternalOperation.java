package io.counterpoint.idempotency;

import io.counterpoint.idempotency.engine.Engine;
import io.counterpoint.idempotency.engine.OperationSettings;
import java.time.Duration;
import java.util.Optional;

/** The common base of operations with an external effect: settles their unresolved attempts. */
abstract sealed class AbstractExternalOperation<R> implements Resolvable<R>
        permits ExternalOperation, PlannedExternalOperation {

    final OperationSettings<?, R> settings;

    AbstractExternalOperation(OperationSettings<?, R> settings) {
        this.settings = settings;
    }

    @Override
    public String name() {
        return settings.name();
    }

    @Override
    public Optional<Outcome<R>> settle(IdempotencyKey key) {
        return Engine.settle(settings, key);
    }

    @Override
    public Optional<Outcome<R>> resolveSucceeded(IdempotencyKey key, R result) {
        return Engine.resolve(settings, key, Optional.of(result), Optional.empty());
    }

    @Override
    public Optional<Outcome<R>> resolvePlanned(IdempotencyKey key) {
        return Engine.resolve(settings, key, Optional.empty(), Optional.empty());
    }

    @Override
    public Optional<Outcome<R>> resolveFailed(IdempotencyKey key, Failure failure) {
        return Engine.resolve(settings, key, Optional.empty(), Optional.of(failure));
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
     * The full key of an attempt.
     *
     * @param attempt the attempt
     * @return its key for this operation
     */
    public IdempotencyKey keyOf(Attempt attempt) {
        return attempt.keyFor(settings.name());
    }
}
