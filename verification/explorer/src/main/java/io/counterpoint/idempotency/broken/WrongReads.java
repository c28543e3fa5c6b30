package io.counterpoint.idempotency.broken;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.testkit.faults.ForwardingSteps;
import io.counterpoint.idempotency.testkit.faults.InterceptingStore;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/** Reads, locks and confirmations that return something other than the record, or hold no lock. */
final class WrongReads {

    private WrongReads() {}

    // ---- what is read --------------------------------------------------------------------------------------------

    static IdempotencyRecord withoutToken(IdempotencyRecord record) {
        return record.fold(
                pending -> pending,
                one -> new Succeeded(one.key(), one.protocol(), new UUID(0, 0), one.fingerprint(), one.result()),
                failed -> failed);
    }

    static IdempotencyRecord ofAnotherClock(IdempotencyRecord record) {
        return Records.changed(
                record,
                one -> new Pending(
                        one.key(),
                        one.protocol(),
                        one.token(),
                        one.fingerprint(),
                        one.plan(),
                        one.age().plusHours(1)));
    }

    static Decoration seeing(UnaryOperator<IdempotencyRecord> change) {
        return Decoration.ofSteps(steps -> new ForwardingSteps(steps) {
            @Override
            public Optional<IdempotencyRecord> read(IdempotencyKey key) {
                return real.read(key).map(change);
            }

            @Override
            public Optional<IdempotencyRecord> lock(IdempotencyKey key, Duration lockWait) {
                return real.lock(key, lockWait).map(change);
            }
        });
    }

    static Optional<IdempotencyRecord> findNothing(RecordSteps real, IdempotencyKey key) {
        Optional<IdempotencyRecord> unused = real.read(key);
        return Optional.empty();
    }

    static <C> IdempotencyStore<C> seeUncommittedClaims(IdempotencyStore<C> store) {
        return new InterceptingStore<>(store) {
            private final Map<IdempotencyKey, IdempotencyRecord> seen = new ConcurrentHashMap<>();

            @Override
            protected RecordSteps steps(RecordSteps steps, Session<C> session) {
                return new ForwardingSteps(steps) {
                    @Override
                    public Optional<IdempotencyRecord> claim(
                            IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
                        Optional<IdempotencyRecord> claim = real.claim(record, retention, lockWait, durability);
                        seen.putIfAbsent(record.key(), record);
                        return claim;
                    }

                    @Override
                    public Optional<IdempotencyRecord> read(IdempotencyKey key) {
                        return real.read(key).or(() -> Optional.ofNullable(seen.get(key)));
                    }
                };
            }
        };
    }

    /** Only operations with {@code CLAIM_FIRST} arbitrate, so only their claims need to be deceived. */
    static RecordSteps takeEveryRecordForClaimFirst(RecordSteps steps) {
        return new ForwardingSteps(steps) {
            @Override
            public Optional<IdempotencyRecord> claim(
                    IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
                Optional<IdempotencyRecord> claim = real.claim(record, retention, lockWait, durability);
                return record.protocol() == Protocol.CLAIM_FIRST ? claim.map(this::masked) : claim;
            }

            @Override
            public Optional<IdempotencyRecord> lock(IdempotencyKey key, Duration lockWait) {
                return real.lock(key, lockWait).map(this::masked);
            }

            private IdempotencyRecord masked(IdempotencyRecord record) {
                return Records.changed(record, pending -> Records.withProtocol(pending, Protocol.CLAIM_FIRST));
            }
        };
    }

    // ---- locks and confirmations ---------------------------------------------------------------------------------

    static Optional<IdempotencyRecord> readBeforeTheyLock(RecordSteps real, IdempotencyKey key, Duration lockWait) {
        Optional<IdempotencyRecord> before = real.read(key);
        return real.lock(key, lockWait).flatMap(locked -> before);
    }

    static RecordSteps confirm(RecordSteps steps) {
        return new ForwardingSteps(steps) {
            @Override
            public boolean confirm(IdempotencyKey key, UUID token) {
                return real.read(key)
                        .filter(record -> record.token().equals(token))
                        .isPresent();
            }
        };
    }
}
