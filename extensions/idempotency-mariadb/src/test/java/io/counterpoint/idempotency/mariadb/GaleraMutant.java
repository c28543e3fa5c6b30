package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.ForwardingStore;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Failed;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.WorkScope;
import io.counterpoint.idempotency.testkit.faults.ForwardingSteps;
import io.counterpoint.idempotency.testkit.faults.InterceptingStore;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jdbi.v3.core.Handle;

/** The library over nodes with one rule missing, each where it shows. The explorer refutes the same ones. */
enum GaleraMutant {
    DOUBT_CLEARED_AT_THE_CLAIM(
            GaleraMode.SINGLE_TRANSACTION, GaleraWork.REFUSES_LATER, 1, GaleraMutant::takesLocksForGlobal),
    RELEASE_AFTER_A_DOUBT(GaleraMode.SINGLE_TRANSACTION, GaleraWork.REFUSES_LATER, 1, ReleasesAfterADoubt::new),
    ARBITER_BELIEVES_BEFORE_ITS_COMMIT(
            GaleraMode.CLAIM_FIRST_PLANNED,
            GaleraWork.AS_LONG_AS_THE_GRACE,
            GaleraStorm.NODES,
            GaleraMutant::believesBeforeTheCommit),
    TOUCH_WITHOUT_A_CHANGE(
            GaleraMode.CLAIM_FIRST_PLANNED,
            GaleraWork.RUNS_AGAIN,
            GaleraStorm.NODES,
            GaleraMutant::touchesWithoutAChange);

    private final GaleraMode mode;
    private final int kind;
    private final int callers;

    @SuppressWarnings("ImmutableEnumChecker") // It has no state: each store that it makes has its own.
    private final UnaryOperator<IdempotencyStore<Handle>> wrong;

    GaleraMutant(GaleraMode mode, int kind, int callers, UnaryOperator<IdempotencyStore<Handle>> wrong) {
        this.mode = mode;
        this.kind = kind;
        this.callers = callers;
        this.wrong = wrong;
    }

    /** The mode in which it shows. */
    GaleraMode mode() {
        return mode;
    }

    /** The work with which it shows. */
    int number(int key) {
        return key * GaleraWork.KINDS + kind;
    }

    /** Callers of one key at once. More of them would hide some mutants: one of them succeeds, and keeps what is late out. */
    int callers() {
        return callers;
    }

    IdempotencyStore<Handle> over(IdempotencyStore<Handle> store) {
        return wrong.apply(store);
    }

    private static IdempotencyStore<Handle> takesLocksForGlobal(IdempotencyStore<Handle> nodes) {
        return new ForwardingStore<>(nodes) {
            @Override
            public boolean hasGlobalLocks() {
                return true;
            }
        };
    }

    /** What an arbiter has written is believed although its commit was refused. */
    private static IdempotencyStore<Handle> believesBeforeTheCommit(IdempotencyStore<Handle> nodes) {
        return new ForwardingStore<>(nodes) {
            @Override
            protected Session<Handle> decorate(Session<Handle> opened) {
                return new ForwardingSession<>(opened) {
                    @Override
                    public <T> T inTransaction(
                            BiFunction<? super RecordSteps, ? super WorkScope<Handle>, ? extends T> body) {
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

    /** A heartbeat looks at the record, and changes nothing. */
    private static IdempotencyStore<Handle> touchesWithoutAChange(IdempotencyStore<Handle> nodes) {
        return new InterceptingStore<>(nodes) {
            @Override
            protected RecordSteps steps(RecordSteps steps, Session<Handle> session) {
                return new ForwardingSteps(steps) {
                    @Override
                    public boolean replaceToken(IdempotencyKey key, UUID token, UUID fresh) {
                        return fresh.equals(token)
                                ? real.read(key)
                                        .filter(record -> record.token().equals(token))
                                        .isPresent()
                                : real.replaceToken(key, token, fresh);
                    }
                };
            }
        };
    }

    /** After a commit that was not answered, the failure that would keep it out is not written. */
    private static final class ReleasesAfterADoubt extends ForwardingStore<Handle> {

        private final Set<IdempotencyKey> inDoubt = ConcurrentHashMap.newKeySet();

        ReleasesAfterADoubt(IdempotencyStore<Handle> nodes) {
            super(nodes);
        }

        @Override
        public Session<Handle> openForClaim(IdempotencyKey key, Duration maxWait) {
            return watched(store.openForClaim(key, maxWait), key);
        }

        @Override
        public Session<Handle> open(IdempotencyKey key) {
            return watched(store.open(key), key);
        }

        private Session<Handle> watched(Session<Handle> opened, IdempotencyKey key) {
            return new ForwardingSession<>(opened) {
                @Override
                public <T> T inTransaction(
                        BiFunction<? super RecordSteps, ? super WorkScope<Handle>, ? extends T> body) {
                    try {
                        return session.inTransaction(body);
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
            };
        }
    }
}
