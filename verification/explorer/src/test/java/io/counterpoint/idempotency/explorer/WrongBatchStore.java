package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Failed;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.WorkScope;
import io.counterpoint.idempotency.testkit.faults.ForwardingSteps;
import io.counterpoint.idempotency.testkit.faults.InterceptingStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiFunction;

/**
 * A store that breaks one rule of batches. The catalogue of broken stores has none of these: each takes several callers,
 * or the engine's own work, to be wrong.
 */
final class WrongBatchStore extends InterceptingStore<Transaction> {

    private final Fault fault;

    WrongBatchStore(IdempotencyStore<Transaction> store, Fault fault) {
        super(store);
        this.fault = fault;
    }

    enum Fault {
        CLAIMS_COMMIT,
        CLAIMS_BACKWARDS,
        ONE_TOKEN,
        ALL_FAIL
    }

    @Override
    protected RecordSteps steps(RecordSteps steps, Session<Transaction> session) {
        return new ForwardingSteps(steps) {
            @Override
            public Map<IdempotencyKey, IdempotencyRecord> claimAll(
                    List<? extends IdempotencyRecord> records, Duration retention, Duration lockWait) {
                return switch (fault) {
                    case CLAIMS_COMMIT -> claimAlone(records, retention, lockWait);
                    case CLAIMS_BACKWARDS -> real.claimAll(inItsOwnOrder(records), retention, lockWait);
                    case ONE_TOKEN -> real.claimAll(underOneToken(records), retention, lockWait);
                    case ALL_FAIL -> real.claimAll(records, retention, lockWait);
                };
            }
        };
    }

    private Map<IdempotencyKey, IdempotencyRecord> claimAlone(
            List<? extends IdempotencyRecord> records, Duration retention, Duration lockWait) {
        Map<IdempotencyKey, IdempotencyRecord> found = new HashMap<>();
        for (IdempotencyRecord record : records) {
            try (Session<Transaction> other = store.open(record.key())) {
                other.autoCommit(steps -> steps.claim(record, retention, lockWait, Durability.DURABLE))
                        .ifPresent(there -> found.put(record.key(), there));
            }
        }
        return found;
    }

    /** The second caller's is another. */
    private List<IdempotencyRecord> inItsOwnOrder(List<? extends IdempotencyRecord> records) {
        List<IdempotencyRecord> ordered = new ArrayList<>(records);
        if (((GatedStore) store).caller().index() == 1) {
            Collections.reverse(ordered);
        }
        return ordered;
    }

    private static List<IdempotencyRecord> underOneToken(List<? extends IdempotencyRecord> records) {
        UUID token = records.get(0).token();
        List<IdempotencyRecord> same = new ArrayList<>();
        for (IdempotencyRecord record : records) {
            same.add(((Pending) record).ledBy(token));
        }
        return same;
    }

    @Override
    protected Session<Transaction> decorate(Session<Transaction> session) {
        return new InterceptingSession(session) {
            @Override
            public <T> T inTransaction(
                    BiFunction<? super RecordSteps, ? super WorkScope<Transaction>, ? extends T> body) {
                List<IdempotencyRecord> claimed = new ArrayList<>();
                try {
                    return super.inTransaction((steps, scope) -> body.apply(noting(steps, claimed), scope));
                } catch (WorkFailed thrown) {
                    if (fault == Fault.ALL_FAIL) {
                        claimed.forEach(WrongBatchStore.this::failAlone);
                    }
                    throw thrown;
                }
            }
        };
    }

    private static RecordSteps noting(RecordSteps steps, List<IdempotencyRecord> claimed) {
        return new ForwardingSteps(steps) {
            @Override
            public Map<IdempotencyKey, IdempotencyRecord> claimAll(
                    List<? extends IdempotencyRecord> records, Duration retention, Duration lockWait) {
                Map<IdempotencyKey, IdempotencyRecord> found = real.claimAll(records, retention, lockWait);
                records.stream()
                        .filter(record -> !found.containsKey(record.key()))
                        .forEach(claimed::add);
                return found;
            }
        };
    }

    private void failAlone(IdempotencyRecord claim) {
        Failed failed =
                new Failed(claim.key(), claim.protocol(), claim.token(), claim.fingerprint(), new Failure("batch", ""));
        try (Session<Transaction> session = store.open(claim.key())) {
            boolean unused = session.autoCommit(steps ->
                            steps.claim(failed, Configuration.RETENTION, Duration.ofSeconds(1), Durability.DURABLE))
                    .isEmpty();
        }
    }
}
