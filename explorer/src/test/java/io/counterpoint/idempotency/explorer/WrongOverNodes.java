package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
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
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Function;

/** What is wrong only where nodes lock for themselves. */
final class WrongOverNodes {

    private WrongOverNodes() {}

    /** The engine takes the nodes' locks for global: a claim clears a doubt, and a lost transaction is the work's doing. */
    static IdempotencyStore<Transaction> takesLocksForGlobal(IdempotencyStore<Transaction> nodes) {
        return new ForwardingStore<>(nodes) {
            @Override
            public boolean hasGlobalLocks() {
                return true;
            }
        };
    }

    /** The failure that keeps a doubtful commit out is not written: the key is released. */
    static IdempotencyStore<Transaction> releasesAfterADoubt(IdempotencyStore<Transaction> nodes) {
        return new ForwardingStore<>(nodes) {
            @Override
            protected Session<Transaction> decorate(Session<Transaction> opened) {
                return new ForwardingSession<>(opened) {
                    @Override
                    public <T> T autoCommit(Function<? super RecordSteps, ? extends T> step) {
                        return session.autoCommit(steps -> step.apply(withoutFailures(steps)));
                    }
                };
            }
        };
    }

    /** A release is believed without the write that shows that nothing else is under way. */
    static IdempotencyStore<Transaction> releasesWithoutAWrite(IdempotencyStore<Transaction> nodes) {
        return new ForwardingStore<>(nodes) {
            @Override
            protected Session<Transaction> decorate(Session<Transaction> opened) {
                return new ForwardingSession<>(opened) {
                    @Override
                    @SuppressWarnings("unchecked")
                    public <T> T inTransaction(
                            BiFunction<? super RecordSteps, ? super WorkScope<Transaction>, ? extends T> body) {
                        try {
                            return session.inTransaction((steps, scope) -> body.apply(beforeRelease(steps), scope));
                        } catch (Released withoutAWrite) {
                            Object believed = true;
                            return (T) believed;
                        }
                    }
                };
            }
        };
    }

    private static RecordSteps beforeRelease(RecordSteps steps) {
        return new ForwardingSteps(steps) {
            @Override
            public boolean release(IdempotencyKey key, UUID token) {
                throw new Released();
            }
        };
    }

    /** Ends a transaction that was to insert a record and to remove it. */
    private static final class Released extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Released() {
            super("released", null, false, false);
        }
    }

    private static RecordSteps withoutFailures(RecordSteps steps) {
        return new ForwardingSteps(steps) {
            @Override
            public Optional<IdempotencyRecord> claim(
                    IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
                return record instanceof Failed failed
                                && failed.failure().code().contains("WorkFailed")
                        ? Optional.empty()
                        : real.claim(record, retention, lockWait, durability);
            }
        };
    }

    /** An arbiter believes what it has written before the commit is answered. */
    static IdempotencyStore<Transaction> believesBeforeTheCommit(IdempotencyStore<Transaction> nodes) {
        return new ForwardingStore<>(nodes) {
            @Override
            protected Session<Transaction> decorate(Session<Transaction> opened) {
                return new ForwardingSession<>(opened) {
                    @Override
                    public <T> T inTransaction(
                            BiFunction<? super RecordSteps, ? super WorkScope<Transaction>, ? extends T> body) {
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
                        } catch (Injected refused) {
                            T answer = written.get();
                            if (answer == null || works.get() || refused.fault() != Fault.CONFLICT) {
                                throw refused;
                            }
                            return answer;
                        }
                    }
                };
            }
        };
    }
}
