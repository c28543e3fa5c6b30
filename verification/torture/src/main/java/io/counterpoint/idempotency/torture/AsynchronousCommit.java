package io.counterpoint.idempotency.torture;

import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.LastStep;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.WorkScope;
import io.counterpoint.idempotency.testkit.faults.ForwardingSteps;
import io.counterpoint.idempotency.testkit.faults.InterceptingStore;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jdbi.v3.core.Handle;

/**
 * A single transaction commits asynchronously. It is not in the catalogue of broken stores, since it needs the handle of
 * the database.
 */
final class AsynchronousCommit extends InterceptingStore<Handle> {

    AsynchronousCommit(IdempotencyStore<Handle> store) {
        super(store);
    }

    @Override
    protected Session<Handle> decorate(Session<Handle> real) {
        return new InterceptingSession(real) {
            @Override
            public <T> T inTransaction(BiFunction<? super RecordSteps, ? super WorkScope<Handle>, ? extends T> body) {
                return super.<T>inTransaction((steps, scope) -> body.apply(steps(steps, scope), scope));
            }
        };
    }

    private static RecordSteps steps(RecordSteps real, WorkScope<Handle> scope) {
        return new ForwardingSteps(real) {
            @Override
            public Optional<IdempotencyRecord> claim(
                    IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
                Optional<IdempotencyRecord> claim = real.claim(record, retention, lockWait, durability);
                if (claim.isEmpty() && isSucceeded(record)) {
                    int unused = scope.handle().execute("SET LOCAL synchronous_commit = off");
                }
                return claim;
            }

            /** Its check would make the commit durable again. So the commit has no last step. */
            @Override
            public LastStep.Result commitWith(LastStep step) {
                return step instanceof LastStep.RequireNotEnded ? LastStep.Result.DONE : super.commitWith(step);
            }
        };
    }

    private static boolean isSucceeded(IdempotencyRecord record) {
        return record.fold(pending -> false, succeeded -> true, failed -> false);
    }
}
