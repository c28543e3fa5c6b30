package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.testkit.faults.ForwardingSteps;
import io.counterpoint.idempotency.testkit.faults.InterceptingStore;
import java.time.Duration;
import java.util.Optional;

/**
 * A follower that does not find the effect writes Failed. The catalogue of broken stores has no such store: it takes a
 * caller's lookup to make it wrong.
 */
final class AbsentMeansFailed extends InterceptingStore<Transaction> {

    AbsentMeansFailed(IdempotencyStore<Transaction> store) {
        super(store);
    }

    @Override
    protected RecordSteps steps(RecordSteps steps, Session<Transaction> session) {
        return new ForwardingSteps(steps) {
            @Override
            public Optional<IdempotencyRecord> claim(
                    IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
                Optional<IdempotencyRecord> claim = real.claim(record, retention, lockWait, durability);
                return claim.isPresent() ? failed(claim.get(), session) : claim;
            }
        };
    }

    private Optional<IdempotencyRecord> failed(IdempotencyRecord record, Session<Transaction> session) {
        if (!record.fold(pending -> true, succeeded -> false, failed -> false)) {
            return Optional.of(record);
        }
        if (((GatedStore) store).caller().userCode().lookUpExternally() instanceof Lookup.NotYet) {
            boolean unused =
                    session.autoCommit(steps -> steps.fail(record.key(), record.token(), new Failure("absent", "")));
        }
        return session.autoCommit(steps -> steps.read(record.key())).or(() -> Optional.of(record));
    }
}
