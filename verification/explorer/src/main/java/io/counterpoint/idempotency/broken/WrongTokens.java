package io.counterpoint.idempotency.broken;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Failed;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
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
import org.jspecify.annotations.Nullable;

/** Tokens that do not stop a leader that has lost its key. */
final class WrongTokens {

    private WrongTokens() {}

    static RecordSteps releaseOfAnyToken(RecordSteps steps) {
        return new ForwardingSteps(steps) {
            @Override
            public boolean release(IdempotencyKey key, UUID token) {
                return real.release(key, tokenOf(key, token));
            }
        };
    }

    static <C> IdempotencyStore<C> keptAtTakeOver(IdempotencyStore<C> store) {
        return new Renamed<>(store) {
            @Override
            UUID claimed(UUID token) {
                return token;
            }

            @Override
            UUID replacing(UUID token) {
                return token;
            }
        };
    }

    static <C> IdempotencyStore<C> counted(IdempotencyStore<C> store) {
        return new Renamed<>(store) {
            @Override
            UUID claimed(UUID token) {
                return new UUID(0, 1);
            }

            @Override
            UUID replacing(UUID token) {
                return new UUID(0, token.getLeastSignificantBits() + 1);
            }
        };
    }

    /** Tokens with other names: a token that the engine considers new is a different one in the store. */
    private abstract static class Renamed<C> extends InterceptingStore<C> {
        private final Map<UUID, UUID> stored = new ConcurrentHashMap<>();
        private final Map<UUID, UUID> shown = new ConcurrentHashMap<>();

        Renamed(IdempotencyStore<C> store) {
            super(store);
        }

        abstract UUID claimed(UUID token);

        abstract UUID replacing(UUID token);

        private void alias(UUID engines, UUID stores) {
            stored.put(engines, stores);
            shown.put(stores, engines);
        }

        private UUID toStore(UUID token) {
            return stored.getOrDefault(token, token);
        }

        private IdempotencyRecord show(IdempotencyRecord record) {
            UUID token = shown.getOrDefault(record.token(), record.token());
            return record.fold(
                    pending -> withToken(pending, token),
                    succeeded -> new Succeeded(
                            succeeded.key(), succeeded.protocol(), token, succeeded.fingerprint(), succeeded.result()),
                    failed ->
                            new Failed(failed.key(), failed.protocol(), token, failed.fingerprint(), failed.failure()));
        }

        private static Pending withToken(Pending pending, UUID token) {
            return new Pending(
                    pending.key(), pending.protocol(), token, pending.fingerprint(), pending.plan(), pending.age());
        }

        @Override
        protected RecordSteps steps(RecordSteps steps, Session<C> session) {
            return new ForwardingSteps(steps) {
                @Override
                public Optional<IdempotencyRecord> claim(
                        IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
                    UUID token = claimed(record.token());
                    IdempotencyRecord renamed = Records.changed(record, pending -> withToken(pending, token));
                    Optional<IdempotencyRecord> claim = real.claim(renamed, retention, lockWait, durability);
                    if (claim.isPresent()) {
                        return Optional.of(show(claim.get()));
                    }
                    alias(record.token(), token);
                    return claim;
                }

                @Override
                public Optional<IdempotencyRecord> read(IdempotencyKey key) {
                    return real.read(key).map(record -> show(record));
                }

                @Override
                public Optional<IdempotencyRecord> lock(IdempotencyKey key, Duration lockWait) {
                    return real.lock(key, lockWait).map(record -> show(record));
                }

                @Override
                public boolean succeed(IdempotencyKey key, UUID token, Optional<Payload> result) {
                    return real.succeed(key, toStore(token), result);
                }

                @Override
                public boolean fail(IdempotencyKey key, UUID token, Failure failure) {
                    return real.fail(key, toStore(token), failure);
                }

                @Override
                public boolean release(IdempotencyKey key, UUID token) {
                    return real.release(key, toStore(token));
                }

                @Override
                public boolean replaceToken(IdempotencyKey key, UUID token, UUID fresh) {
                    UUID now = toStore(token);
                    UUID next = token.equals(fresh) ? now : replacing(now);
                    boolean replaced = real.replaceToken(key, now, next);
                    if (replaced) {
                        alias(fresh, next);
                    }
                    return replaced;
                }
            };
        }
    }

    /** A leader locks whatever it has claimed, and its mark succeeds with any token. */
    static final class NotCompared<C> extends InterceptingStore<C> {
        private static final ThreadLocal<@Nullable Pending> CLAIMED = new ThreadLocal<>();

        NotCompared(IdempotencyStore<C> store) {
            super(store);
        }

        @Override
        protected RecordSteps steps(RecordSteps steps, Session<C> session) {
            return new ForwardingSteps(steps) {
                @Override
                public Optional<IdempotencyRecord> claim(
                        IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
                    Optional<IdempotencyRecord> claim = real.claim(record, retention, lockWait, durability);
                    CLAIMED.set(claim.isEmpty() && record instanceof Pending pending ? pending : null);
                    return claim;
                }

                @Override
                public Optional<IdempotencyRecord> lock(IdempotencyKey key, Duration lockWait) {
                    Pending own = CLAIMED.get();
                    CLAIMED.remove();
                    return own != null && own.key().equals(key) ? Optional.of(own) : real.lock(key, lockWait);
                }

                @Override
                public boolean succeed(IdempotencyKey key, UUID token, Optional<Payload> result) {
                    boolean unused = real.succeed(key, tokenOf(key, token), result);
                    return true;
                }
            };
        }
    }
}
