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
 * Lets a planned single transaction commit unchecked: asynchronously, or even though the database's transaction is no
 * longer the one in which it has claimed. It is not in the catalogue of broken stores, because it may need the database
 * handle.
 */
final class UncheckedCommit extends InterceptingStore<Handle> {

    private final Optional<String> before;

    private UncheckedCommit(IdempotencyStore<Handle> store, Optional<String> before) {
        super(store);
        this.before = before;
    }

    static IdempotencyStore<Handle> asynchronously(IdempotencyStore<Handle> store) {
        return new UncheckedCommit(store, Optional.of("SET LOCAL synchronous_commit = off"));
    }

    static IdempotencyStore<Handle> inWhateverTransaction(IdempotencyStore<Handle> store) {
        return new UncheckedCommit(store, Optional.empty());
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

    private RecordSteps steps(RecordSteps real, WorkScope<Handle> scope) {
        return new ForwardingSteps(real) {
            @Override
            public Optional<IdempotencyRecord> claim(
                    IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
                Optional<IdempotencyRecord> claim = real.claim(record, retention, lockWait, durability);
                if (claim.isEmpty() && isSucceeded(record)) {
                    before.ifPresent(scope.handle()::execute);
                }
                return claim;
            }

            /** Its check would make the commit durable again, or detect that the transaction is gone. */
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
