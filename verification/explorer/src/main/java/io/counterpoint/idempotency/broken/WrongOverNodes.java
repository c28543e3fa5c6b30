package io.counterpoint.idempotency.broken;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.ForwardingStore;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Failed;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.LockScope;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.WorkScope;
import io.counterpoint.idempotency.testkit.faults.ForwardingSteps;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Function;

/** Bugs that only matter if nodes have local locks. */
final class WrongOverNodes {

    private WrongOverNodes() {}

    /** As a result, a claim clears a doubt, and a lost transaction counts as ended by the work. */
    static <C> IdempotencyStore<C> takesLocksForGlobal(IdempotencyStore<C> nodes) {
        return new ForwardingStore<>(nodes) {
            @Override
            public LockScope lockScope() {
                return LockScope.GLOBAL;
            }
        };
    }

    /** A release is trusted without the write that proves that nothing else is in flight. */
    static <C> IdempotencyStore<C> releasesWithoutAWrite(IdempotencyStore<C> nodes) {
        return new ForwardingStore<>(nodes) {
            @Override
            protected Session<C> decorate(Session<C> opened) {
                return new ForwardingSession<>(opened) {
                    @Override
                    public <T> T inTransaction(
                            BiFunction<? super RecordSteps, ? super WorkScope<C>, ? extends T> body) {
                        return unlessReleased(session, (steps, scope) -> body.apply(beforeRelease(steps), scope));
                    }
                };
            }
        };
    }

    /** Trusts a write that was abandoned. */
    @SuppressWarnings("unchecked")
    private static <C, T> T unlessReleased(
            Session<C> session, BiFunction<? super RecordSteps, ? super WorkScope<C>, ? extends T> body) {
        try {
            return session.inTransaction(body);
        } catch (Released withoutAWrite) {
            Object believed = true;
            return (T) believed;
        }
    }

    private static RecordSteps beforeRelease(RecordSteps steps) {
        return new ForwardingSteps(steps) {
            @Override
            public boolean release(IdempotencyKey key, UUID token) {
                throw new Released();
            }
        };
    }

    /** Ends a transaction that was to insert a record and then to remove it or mark it as failed. */
    private static final class Released extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Released() {
            super("released", null, false, false);
        }
    }

    /** What an arbiter has written is trusted even if its commit was rejected. */
    static <C> IdempotencyStore<C> believesBeforeTheCommit(IdempotencyStore<C> nodes) {
        return new ForwardingStore<>(nodes) {
            @Override
            protected Session<C> decorate(Session<C> opened) {
                return new ForwardingSession<>(opened) {
                    @Override
                    public <T> T inTransaction(
                            BiFunction<? super RecordSteps, ? super WorkScope<C>, ? extends T> body) {
                        AtomicBoolean works = new AtomicBoolean();
                        AtomicReference<T> written = new AtomicReference<>();
                        try {
                            return session.inTransaction((steps, scope) -> {
                                T answer = body.apply(steps, WorkScope.of(() -> {
                                    works.set(true);
                                    return scope.handle();
                                }));
                                written.set(answer);
                                return answer;
                            });
                        } catch (RuntimeException refused) {
                            T answer = written.get();
                            if (answer == null || works.get() || store.classify(refused) != Fault.CONFLICT) {
                                throw refused;
                            }
                            return answer;
                        }
                    }
                };
            }
        };
    }

    /** After a commit whose reply was lost, the failure that would keep it out is not written. */
    static final class ReleasesAfterADoubt<C> extends ForwardingStore<C> {

        private final Set<IdempotencyKey> inDoubt = ConcurrentHashMap.newKeySet();

        ReleasesAfterADoubt(IdempotencyStore<C> nodes) {
            super(nodes);
        }

        @Override
        public Session<C> openForClaim(IdempotencyKey key, Duration maxWait) {
            return watched(store.openForClaim(key, maxWait), key);
        }

        @Override
        public Session<C> open(IdempotencyKey key) {
            return watched(store.open(key), key);
        }

        private Session<C> watched(Session<C> opened, IdempotencyKey key) {
            return new ForwardingSession<>(opened) {
                @Override
                public <T> T inTransaction(BiFunction<? super RecordSteps, ? super WorkScope<C>, ? extends T> body) {
                    try {
                        return unlessReleased(session, (steps, scope) -> body.apply(withoutFailures(steps), scope));
                    } catch (RuntimeException thrown) {
                        if (store.classify(thrown) == Fault.CONNECTION_LOST) {
                            inDoubt.add(key);
                        }
                        throw thrown;
                    }
                }

                @Override
                public <T> T autoCommit(Function<? super RecordSteps, ? extends T> step) {
                    return session.autoCommit(steps -> step.apply(withoutFailures(steps)));
                }
            };
        }

        private RecordSteps withoutFailures(RecordSteps steps) {
            return new ForwardingSteps(steps) {
                @Override
                public Optional<IdempotencyRecord> claim(
                        IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
                    return record instanceof Failed && inDoubt.contains(record.key())
                            ? Optional.empty()
                            : real.claim(record, retention, lockWait, durability);
                }

                @Override
                public boolean fail(IdempotencyKey key, UUID token, Failure failure) {
                    if (inDoubt.contains(key)) {
                        throw new Released();
                    }
                    return real.fail(key, token, failure);
                }
            };
        }
    }
}
