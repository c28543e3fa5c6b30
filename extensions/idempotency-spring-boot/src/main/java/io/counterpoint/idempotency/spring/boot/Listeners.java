package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyException.OutcomeUnknownException;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.IdempotencyListener;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * Tells several listeners the same. What one throws keeps nothing from the others.
 *
 * @param all the listeners, in their order
 */
record Listeners(List<IdempotencyListener> all) implements IdempotencyListener {

    private void each(Consumer<IdempotencyListener> call) {
        RuntimeException first = null;
        for (IdempotencyListener listener : all) {
            try {
                call.accept(listener);
            } catch (RuntimeException thrown) {
                if (first == null) {
                    first = thrown;
                } else {
                    first.addSuppressed(thrown);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    @Override
    public void claimed(IdempotencyKey key) {
        each(listener -> listener.claimed(key));
    }

    @Override
    public void succeeded(IdempotencyKey key) {
        each(listener -> listener.succeeded(key));
    }

    @Override
    public void failed(IdempotencyKey key, Failure failure) {
        each(listener -> listener.failed(key, failure));
    }

    @Override
    public void released(IdempotencyKey key) {
        each(listener -> listener.released(key));
    }

    @Override
    public void runAgain(IdempotencyKey key, Throwable cause) {
        each(listener -> listener.runAgain(key, cause));
    }

    @Override
    public void replayed(IdempotencyKey key) {
        each(listener -> listener.replayed(key));
    }

    @Override
    public void healed(IdempotencyKey key) {
        each(listener -> listener.healed(key));
    }

    @Override
    public void inProgress(IdempotencyKey key, Duration age) {
        each(listener -> listener.inProgress(key, age));
    }

    @Override
    public void rejected(IdempotencyKey key, Failure failure) {
        each(listener -> listener.rejected(key, failure));
    }

    @Override
    public void keyReused(IdempotencyKey key) {
        each(listener -> listener.keyReused(key));
    }

    @Override
    public void takenOver(IdempotencyKey key) {
        each(listener -> listener.takenOver(key));
    }

    @Override
    public void commitUnknown(IdempotencyKey key, Throwable cause) {
        each(listener -> listener.commitUnknown(key, cause));
    }

    @Override
    public void arbitrated(IdempotencyKey key, boolean committed) {
        each(listener -> listener.arbitrated(key, committed));
    }

    @Override
    public void afterCommitFailed(IdempotencyKey key, Throwable thrown) {
        each(listener -> listener.afterCommitFailed(key, thrown));
    }

    @Override
    public void workOutlived(IdempotencyKey key) {
        each(listener -> listener.workOutlived(key));
    }

    @Override
    public void unresolved(IdempotencyKey key, OutcomeUnknownException told) {
        each(listener -> listener.unresolved(key, told));
    }
}
