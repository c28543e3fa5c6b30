package io.counterpoint.idempotency.testkit.explorer;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.testkit.faults.ForwardingSteps;
import io.counterpoint.idempotency.testkit.faults.InterceptingStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.UnaryOperator;

/** The protocol with one thing wrong. */
final class Mutants {

    private Mutants() {}

    /** A store whose steps are wrong. */
    private static UnaryOperator<IdempotencyStore<Transaction>> wrongSteps(UnaryOperator<RecordSteps> steps) {
        return store -> new InterceptingStore<>(store) {
            @Override
            protected RecordSteps steps(RecordSteps real, Session<Transaction> session) {
                return steps.apply(real);
            }
        };
    }

    /** The token is no fence where every takeover leaves it as it is. */
    static final UnaryOperator<IdempotencyStore<Transaction>> TAKE_OVER_WITHOUT_FRESH_TOKEN =
            store -> new Translated(store) {
                @Override
                UUID claimed(UUID token) {
                    return token;
                }

                @Override
                UUID replacing(UUID token) {
                    return token;
                }
            };

    /** A fence that counts begins again with every new record. */
    static final UnaryOperator<IdempotencyStore<Transaction>> COUNTER_AS_TOKEN = store -> new Translated(store) {
        @Override
        UUID claimed(UUID token) {
            return new UUID(0, 1);
        }

        @Override
        UUID replacing(UUID token) {
            return new UUID(0, token.getLeastSignificantBits() + 1);
        }
    };

    /** A commit without an answer is taken for a failure, and nobody looks how many rows its mark changed. */
    static final UnaryOperator<IdempotencyStore<Transaction>> FAILED_ON_UNKNOWN_COMMIT =
            store -> new InterceptingStore<>(store) {
                private boolean unknown;

                @Override
                public Fault classify(Throwable thrown) {
                    if (thrown instanceof Injected injected
                            && injected.atCommit()
                            && injected.fault() == Fault.CONNECTION_LOST) {
                        unknown = true;
                        return Fault.STATEMENT_REFUSED;
                    }
                    return super.classify(thrown);
                }

                @Override
                protected RecordSteps steps(RecordSteps real, Session<Transaction> session) {
                    return new ForwardingSteps(real) {
                        @Override
                        public boolean fail(IdempotencyKey key, UUID token, Failure failure) {
                            return real.fail(key, token, failure) || unknown;
                        }
                    };
                }
            };

    /** A follower that does not find the effect writes Failed. */
    static UnaryOperator<IdempotencyStore<Transaction>> absentMeansFailed() {
        return store -> new InterceptingStore<>(store) {
            @Override
            protected RecordSteps steps(RecordSteps real, Session<Transaction> session) {
                return new ForwardingSteps(real) {
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
                if (((GatedStore) store).caller().lookUpElsewhere().isEmpty()) {
                    boolean unused = session.autoCommit(
                            steps -> steps.fail(record.key(), record.token(), new Failure("absent", "")));
                }
                return session.autoCommit(steps -> steps.read(record.key())).or(() -> Optional.of(record));
            }
        };
    }

    /** What a doubt leaves open is settled by reading alone. */
    static final UnaryOperator<IdempotencyStore<Transaction>> CONFIRMED_BY_READING =
            wrongSteps(real -> new ForwardingSteps(real) {
                @Override
                public boolean confirm(IdempotencyKey key, UUID token) {
                    return true;
                }
            });

    /** The caller that finds the effect marks whatever record there is by now. Put beneath, so it is one step. */
    static final UnaryOperator<IdempotencyStore<Transaction>> HEAL_WITHOUT_COMPARE =
            wrongSteps(real -> new ForwardingSteps(real) {
                @Override
                public boolean succeed(IdempotencyKey key, UUID token, Optional<Payload> result) {
                    return real.succeed(key, tokenOf(key, token), result);
                }
            });

    /** The caller that releases removes whatever claim there is by now. Put beneath, so it is one step. */
    static final UnaryOperator<IdempotencyStore<Transaction>> RELEASE_OF_ANY_TOKEN =
            wrongSteps(real -> new ForwardingSteps(real) {
                @Override
                public boolean release(IdempotencyKey key, UUID token) {
                    return real.release(key, tokenOf(key, token));
                }
            });

    /** A purge that looks at ages only. Put beneath. */
    static final UnaryOperator<IdempotencyStore<Transaction>> PURGE_OF_PENDING =
            store -> new InterceptingStore<>(store) {
                @Override
                public int purgeExpired(int batch) {
                    int purged = super.purgeExpired(batch);
                    try (Session<Transaction> session = store.open(Configuration.KEY)) {
                        return purged
                                + session.<Integer>inTransaction((steps, scope) -> steps.read(Configuration.KEY)
                                        .filter(record -> record.fold(
                                                pending -> pending.age().compareTo(Configuration.RETENTION) > 0,
                                                succeeded -> false,
                                                failed -> false))
                                        .map(record -> steps.release(record.key(), record.token()) ? 1 : 0)
                                        .orElse(0));
                    }
                }
            };

    /** The claim of an effect elsewhere may be lost in a crash. */
    static final UnaryOperator<IdempotencyStore<Transaction>> ASYNCHRONOUS_CLAIM =
            wrongSteps(real -> new ForwardingSteps(real) {
                @Override
                public Optional<IdempotencyRecord> claim(
                        IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
                    return real.claim(record, retention, lockWait, Durability.ASYNCHRONOUS);
                }
            });

    /** The mark follows the domain's commit instead of being part of it. */
    static final UnaryOperator<IdempotencyStore<Transaction>> MARK_OUTSIDE = store -> new InterceptingStore<>(store) {
        private Runnable mark = () -> {};

        @Override
        protected RecordSteps steps(RecordSteps real, Session<Transaction> session) {
            return new ForwardingSteps(real) {
                @Override
                public boolean succeed(IdempotencyKey key, UUID token, Optional<Payload> result) {
                    mark = () -> {
                        boolean unused = session.<Boolean>autoCommit(steps -> steps.succeed(key, token, result));
                    };
                    return true;
                }
            };
        }

        @Override
        protected void committed(Session<Transaction> session) {
            Runnable now = mark;
            mark = () -> {};
            now.run();
        }
    };

    /** A caller that meets a record of an effect elsewhere treats it as one of its own kind. */
    static final UnaryOperator<IdempotencyStore<Transaction>> ARBITERS_OWN_PROTOCOL =
            wrongSteps(real -> new ForwardingSteps(real) {
                @Override
                public Optional<IdempotencyRecord> claim(
                        IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
                    Optional<IdempotencyRecord> claim = real.claim(record, retention, lockWait, durability);
                    return claim.isPresent() && record.protocol() == Protocol.CLAIM_FIRST
                            ? Optional.of(masked(claim.get()))
                            : claim;
                }

                @Override
                public Optional<IdempotencyRecord> lock(IdempotencyKey key, Duration lockWait) {
                    return real.lock(key, lockWait).map(Mutants::masked);
                }
            });

    private static IdempotencyRecord masked(IdempotencyRecord record) {
        return record.fold(
                pending -> new Pending(
                        pending.key(),
                        Protocol.CLAIM_FIRST,
                        pending.token(),
                        pending.fingerprint(),
                        pending.plan(),
                        pending.age()),
                succeeded -> succeeded,
                failed -> failed);
    }

    /** The caller gets the failure, and its mark is left for later. */
    static final UnaryOperator<IdempotencyStore<Transaction>> FAILED_TOLD_BEFORE_DURABLE =
            store -> new InterceptingStore<>(store) {
                @Override
                protected RecordSteps steps(RecordSteps real, Session<Transaction> session) {
                    return new ForwardingSteps(real) {
                        @Override
                        public boolean fail(IdempotencyKey key, UUID token, Failure failure) {
                            return true;
                        }
                    };
                }
            };

    /** Tokens under other names: what the engine calls fresh is another thing to the store. One for each call. */
    private abstract static class Translated extends InterceptingStore<Transaction> {
        private final Map<UUID, UUID> stored = new HashMap<>();
        private final Map<UUID, UUID> shown = new HashMap<>();

        Translated(IdempotencyStore<Transaction> store) {
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
                    pending -> new Pending(
                            pending.key(),
                            pending.protocol(),
                            token,
                            pending.fingerprint(),
                            pending.plan(),
                            pending.age()),
                    succeeded -> new IdempotencyRecord.Succeeded(
                            succeeded.key(), succeeded.protocol(), token, succeeded.fingerprint(), succeeded.result()),
                    failed -> new IdempotencyRecord.Failed(
                            failed.key(), failed.protocol(), token, failed.fingerprint(), failed.failure()));
        }

        @Override
        protected RecordSteps steps(RecordSteps real, Session<Transaction> session) {
            return new ForwardingSteps(real) {
                @Override
                public Optional<IdempotencyRecord> claim(
                        IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
                    UUID token = claimed(record.token());
                    IdempotencyRecord renamed = record.fold(
                            pending -> new Pending(
                                    pending.key(),
                                    pending.protocol(),
                                    token,
                                    pending.fingerprint(),
                                    pending.plan(),
                                    pending.age()),
                            succeeded -> succeeded,
                            failed -> failed);
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
}
