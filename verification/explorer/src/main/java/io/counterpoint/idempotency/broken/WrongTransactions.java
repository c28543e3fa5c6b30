package io.counterpoint.idempotency.broken;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.LastStep;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.WorkScope;
import io.counterpoint.idempotency.testkit.faults.ForwardingSteps;
import io.counterpoint.idempotency.testkit.faults.InterceptingStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

/** Sessions and transactions that begin, commit, roll back or end incorrectly. */
final class WrongTransactions {

    private WrongTransactions() {}

    static <C, T> T markAfterwards(
            Session<C> session, BiFunction<? super RecordSteps, ? super WorkScope<C>, ? extends T> body) {
        List<Runnable> marks = new ArrayList<>();
        T answer = session.inTransaction((steps, scope) -> body.apply(
                new ForwardingSteps(steps) {
                    @Override
                    public boolean succeed(IdempotencyKey key, UUID token, Optional<Payload> result) {
                        return marks.add(() -> {
                            boolean unused = session.<Boolean>autoCommit(other -> other.succeed(key, token, result));
                        });
                    }
                },
                scope));
        marks.forEach(Runnable::run);
        return answer;
    }

    static <C, T> T throwAfterwards(
            Session<C> session, BiFunction<? super RecordSteps, ? super WorkScope<C>, ? extends T> body) {
        List<RuntimeException> thrown = new ArrayList<>();
        List<T> answer = session.inTransaction((steps, scope) -> {
            try {
                return List.of(body.apply(steps, scope));
            } catch (RuntimeException swallowed) {
                thrown.add(swallowed);
                return List.of();
            }
        });
        if (!thrown.isEmpty()) {
            throw thrown.get(0);
        }
        return answer.get(0);
    }

    static <C, T> T wrapped(
            Session<C> session, BiFunction<? super RecordSteps, ? super WorkScope<C>, ? extends T> body) {
        try {
            return session.inTransaction(body);
        } catch (RuntimeException thrown) {
            throw new IllegalStateException(thrown);
        }
    }

    static <C> IdempotencyStore<C> commitEveryStep(IdempotencyStore<C> store) {
        return new InterceptingStore<>(store) {
            @Override
            protected RecordSteps steps(RecordSteps steps, Session<C> session) {
                return new ForwardingSteps(steps) {
                    @Override
                    public Optional<IdempotencyRecord> claim(
                            IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
                        return autoCommit(record.key(), other -> other.claim(record, retention, lockWait, durability));
                    }

                    @Override
                    public boolean succeed(IdempotencyKey key, UUID token, Optional<Payload> result) {
                        return this.<Boolean>autoCommit(key, other -> other.succeed(key, token, result));
                    }

                    private <T> T autoCommit(IdempotencyKey key, Function<? super RecordSteps, ? extends T> step) {
                        return onAnotherThread(() -> {
                            try (Session<C> other = store.open(key)) {
                                return other.<T>autoCommit(step);
                            }
                        });
                    }
                };
            }
        };
    }

    /** The commit follows at the end of the body. */
    static LastStep.Result requireNothing(RecordSteps real, LastStep step) {
        return step instanceof LastStep.RequireNotEnded
                ? LastStep.Result.DONE
                : new ForwardingSteps(real).commitWith(step);
    }

    static <C> IdempotencyStore<C> rollSingleStepsBack(IdempotencyStore<C> store) {
        return new InterceptingStore<>(store) {
            @Override
            protected Session<C> decorate(Session<C> real) {
                return new InterceptingSession(real) {
                    @Override
                    public <T> T autoCommit(Function<? super RecordSteps, ? extends T> step) {
                        List<T> answer = new ArrayList<>();
                        try {
                            return session.inTransaction((steps, scope) -> {
                                answer.add(step.apply(steps));
                                throw new RollBack();
                            });
                        } catch (RollBack rolledBack) {
                            return answer.get(0);
                        }
                    }
                };
            }
        };
    }

    static <C> IdempotencyStore<C> nest(IdempotencyStore<C> store) {
        return new InterceptingStore<>(store) {
            @Override
            public Session<C> open(IdempotencyKey key) {
                return onAnotherThread(() -> store.open(key));
            }
        };
    }

    static <C> IdempotencyStore<C> closeOnce(IdempotencyStore<C> store) {
        return new InterceptingStore<>(store) {
            @Override
            protected Session<C> decorate(Session<C> real) {
                return new InterceptingSession(real) {
                    private boolean closed;

                    @Override
                    public void close() {
                        if (closed) {
                            throw new IllegalStateException("closed");
                        }
                        closed = true;
                        session.close();
                    }
                };
            }
        };
    }

    /** On a thread that has no session. */
    private static <T> T onAnotherThread(Supplier<T> action) {
        return CompletableFuture.supplyAsync(action, task -> new Thread(task, "another").start())
                .join();
    }

    private static final class RollBack extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }
}
