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

/** Reads, locks and confirmations that show something else than the record, or hold nothing. */
final class WrongReads {

    private WrongReads() {}

    // ---- what is read --------------------------------------------------------------------------------------------

    static RecordSteps forgetTheToken(RecordSteps steps) {
        return seeing(
                steps,
                record -> record.fold(
                        pending -> pending,
                        succeeded -> new Succeeded(
                                succeeded.key(),
                                succeeded.protocol(),
                                new UUID(0, 0),
                                succeeded.fingerprint(),
                                succeeded.result()),
                        failed -> failed));
    }

    static RecordSteps findNothing(RecordSteps steps) {
        return new ForwardingSteps(steps) {
            @Override
            public Optional<IdempotencyRecord> read(IdempotencyKey key) {
                Optional<IdempotencyRecord> unused = real.read(key);
                return Optional.empty();
            }
        };
    }

    static RecordSteps useAnotherClock(RecordSteps steps) {
        return seeing(
                steps,
                record -> Records.changed(
                        record,
                        pending -> new Pending(
                                pending.key(),
                                pending.protocol(),
                                pending.token(),
                                pending.fingerprint(),
                                pending.plan(),
                                pending.age().plusHours(1))));
    }

    private static RecordSteps seeing(RecordSteps steps, UnaryOperator<IdempotencyRecord> change) {
        return new ForwardingSteps(steps) {
            @Override
            public Optional<IdempotencyRecord> read(IdempotencyKey key) {
                return real.read(key).map(change);
            }

            @Override
            public Optional<IdempotencyRecord> lock(IdempotencyKey key, Duration lockWait) {
                return real.lock(key, lockWait).map(change);
            }
        };
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

    /** Only operations of {@code CLAIM_FIRST} arbitrate, so only their claims need to be deceived. */
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

    static RecordSteps doNotLock(RecordSteps steps) {
        return new ForwardingSteps(steps) {
            @Override
            public Optional<IdempotencyRecord> lock(IdempotencyKey key, Duration lockWait) {
                return real.read(key);
            }
        };
    }

    static RecordSteps alwaysWaitForTheLock(RecordSteps steps) {
        return new ForwardingSteps(steps) {
            @Override
            public Optional<IdempotencyRecord> lock(IdempotencyKey key, Duration lockWait) {
                return real.lock(key, lockWait.isZero() ? Duration.ofSeconds(1) : lockWait);
            }
        };
    }

    static RecordSteps neverWaitForTheLock(RecordSteps steps) {
        return new ForwardingSteps(steps) {
            @Override
            public Optional<IdempotencyRecord> lock(IdempotencyKey key, Duration lockWait) {
                return real.lock(key, Duration.ZERO);
            }
        };
    }

    static RecordSteps readBeforeTheyLock(RecordSteps steps) {
        return new ForwardingSteps(steps) {
            @Override
            public Optional<IdempotencyRecord> lock(IdempotencyKey key, Duration lockWait) {
                Optional<IdempotencyRecord> before = real.read(key);
                return real.lock(key, lockWait).flatMap(locked -> before);
            }
        };
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
