package io.counterpoint.idempotency.broken;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.broken.WrongSteps.Claim;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.testkit.faults.ForwardingSteps;
import io.counterpoint.idempotency.testkit.faults.InterceptingStore;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Records that disappear too soon, or never. */
final class WrongPurges {

    private WrongPurges() {}

    static <C> IdempotencyStore<C> takeNothing(IdempotencyStore<C> store) {
        return new InterceptingStore<>(store) {
            @Override
            public int purgeExpired(int batch) {
                return 0;
            }
        };
    }

    static <C> IdempotencyStore<C> takeEverything(IdempotencyStore<C> store) {
        return new InterceptingStore<>(store) {
            @Override
            public int purgeExpired(int batch) {
                return super.purgeExpired(Integer.MAX_VALUE);
            }
        };
    }

    /**
     * Also deletes pending records past their retention, or past a shorter age, among those that it has seen claimed.
     */
    static final class OfPending<C> extends InterceptingStore<C> {
        private static final Duration LONG_AGO = Duration.ofMillis(200);
        private static final int REMEMBERED = 300;

        private final Queue<Claim> claims = new ConcurrentLinkedQueue<>();

        private record Claim(IdempotencyKey key, Duration oldestAge) {}

        OfPending(IdempotencyStore<C> store) {
            super(store);
        }

        @Override
        protected RecordSteps steps(RecordSteps steps, Session<C> session) {
            return new ForwardingSteps(steps) {
                @Override
                public Optional<IdempotencyRecord> claim(
                        IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
                    claims.add(new Claim(record.key(), retention.compareTo(LONG_AGO) < 0 ? retention : LONG_AGO));
                    if (claims.size() > REMEMBERED) {
                        claims.remove();
                    }
                    return real.claim(record, retention, lockWait, durability);
                }
            };
        }

        @Override
        public int purgeExpired(int batch) {
            int purged = super.purgeExpired(batch);
            for (Claim claim : claims) {
                Optional<UUID> token = store.read(claim.key())
                        .filter(record -> Records.isPendingForLongerThan(claim.oldestAge(), record))
                        .map(IdempotencyRecord::token);
                if (token.isPresent()) {
                    try (Session<C> session = store.open(claim.key())) {
                        boolean released =
                                session.<Boolean>autoCommit(steps -> steps.release(claim.key(), token.get()));
                        purged += released ? 1 : 0;
                    }
                }
            }
            return purged;
        }
    }

    static <C> IdempotencyStore<C> countFromTheClaim(IdempotencyStore<C> store) {
        return new HidingStore<>(store) {
            private final Map<IdempotencyKey, Long> expiry = new ConcurrentHashMap<>();

            @Override
            protected RecordSteps steps(RecordSteps steps, Session<C> session) {
                return new HidingSteps(steps) {
                    @Override
                    public Optional<IdempotencyRecord> claim(
                            IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
                        Optional<IdempotencyRecord> claim = real.claim(record, retention, lockWait, durability);
                        if (claim.isEmpty()) {
                            expiry.put(record.key(), System.nanoTime() + retention.toNanos());
                        }
                        return claim;
                    }
                };
            }

            @Override
            public int purgeExpired(int batch) {
                return (int) expiry.entrySet().stream()
                        .filter(entry -> entry.getValue() < System.nanoTime())
                        .map(Map.Entry::getKey)
                        .filter(key -> store.read(key)
                                .filter(record -> !Records.isPending(record))
                                .isPresent())
                        .limit(batch)
                        .filter(this::hide)
                        .count();
            }
        };
    }

    static <C> IdempotencyStore<C> releaseTerminalRecords(IdempotencyStore<C> store) {
        return new HidingStore<>(store) {
            @Override
            protected RecordSteps steps(RecordSteps steps, Session<C> session) {
                return new HidingSteps(steps) {
                    @Override
                    public boolean release(IdempotencyKey key, UUID token) {
                        return real.release(key, token)
                                || (tokenOf(key, UUID.randomUUID()).equals(token) && hide(key));
                    }
                };
            }
        };
    }

    /** Can hide records that a store would keep. */
    private abstract static class HidingStore<C> extends InterceptingStore<C> {
        private final Set<IdempotencyKey> hidden = ConcurrentHashMap.newKeySet();

        HidingStore(IdempotencyStore<C> store) {
            super(store);
        }

        boolean hide(IdempotencyKey key) {
            return hidden.add(key);
        }

        class HidingSteps extends ForwardingSteps {
            HidingSteps(RecordSteps steps) {
                super(steps);
            }

            @Override
            public Optional<IdempotencyRecord> read(IdempotencyKey key) {
                return real.read(key).filter(record -> !hidden.contains(key));
            }
        }
    }
}
