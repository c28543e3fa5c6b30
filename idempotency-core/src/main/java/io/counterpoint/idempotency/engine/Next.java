package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/**
 * What a call does next. A part of the protocol decides it, and {@link Engine} carries it out. None holds a resource, so
 * a call that waits has no session open.
 */
sealed interface Next<R> {

    /** How a call ends. */
    sealed interface Last<R> extends Next<R> {
        <T> T fold(Function<Outcome<R>, T> answer, Function<UUID, T> started);
    }

    /** A step, which leads to another {@code Next}. */
    sealed interface Step<R> extends Next<R> {
        Next<R> carryOut(Steps<R> steps);
    }

    /** Carries out each kind of step. */
    interface Steps<R> {
        Next<R> lead(Lead<R> lead);

        Next<R> follow(IdempotencyRecord record);

        Next<R> retryNow();

        Next<R> retryAfterPause(Throwable because);

        Next<R> waitForLeader(Duration age);
    }

    /** The caller gets this outcome. */
    record Answer<R>(Outcome<R> outcome) implements Last<R> {
        @Override
        public <T> T fold(Function<Outcome<R>, T> answer, Function<UUID, T> started) {
            return answer.apply(outcome);
        }
    }

    /** External work has begun under this token, and ends later. */
    record Started<R>(UUID token) implements Last<R> {
        @Override
        public <T> T fold(Function<Outcome<R>, T> answer, Function<UUID, T> started) {
            return started.apply(token);
        }
    }

    /** This call leads a committed claim under this token, and its work has not begun. */
    record Lead<R>(Protocol protocol, UUID token, Optional<R> storedPlan) implements Step<R> {
        @Override
        public Next<R> carryOut(Steps<R> steps) {
            return steps.lead(this);
        }
    }

    /** The key has this record. */
    record Follow<R>(IdempotencyRecord record) implements Step<R> {
        @Override
        public Next<R> carryOut(Steps<R> steps) {
            return steps.follow(record);
        }
    }

    /** The record changed after it was read. */
    record RetryNow<R>() implements Step<R> {
        @Override
        public Next<R> carryOut(Steps<R> steps) {
            return steps.retryNow();
        }
    }

    /** The store did not answer. */
    record RetryAfterPause<R>(Throwable because) implements Step<R> {
        @Override
        public Next<R> carryOut(Steps<R> steps) {
            return steps.retryAfterPause(because);
        }
    }

    /** A leader may be at work. Its last change has this age. */
    record WaitForLeader<R>(Duration age) implements Step<R> {
        @Override
        public Next<R> carryOut(Steps<R> steps) {
            return steps.waitForLeader(age);
        }
    }
}
