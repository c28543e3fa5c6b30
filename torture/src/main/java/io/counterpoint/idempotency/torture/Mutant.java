package io.counterpoint.idempotency.torture;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.WorkScope;
import io.counterpoint.idempotency.testkit.faults.ForwardingSteps;
import io.counterpoint.idempotency.testkit.faults.InterceptingStore;
import java.sql.SQLWarning;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** The library with one thing wrong: a torture that does not notice proves nothing. */
enum Mutant {
    MARK_OUTSIDE("the success mark follows the commit", Mode.CLAIM_FIRST) {
        @Override
        IdempotencyStore<Handle> over(IdempotencyStore<Handle> store) {
            return new MarkOutside(store);
        }
    },
    STALE_LEADER_PASSES("a leader neither locks its record nor states its token", Mode.CLAIM_FIRST) {
        @Override
        IdempotencyStore<Handle> over(IdempotencyStore<Handle> store) {
            return new NoFence(store);
        }
    },
    FAILED_ON_UNKNOWN_COMMIT("a commit without an answer is a failure", Mode.CLAIM_FIRST) {
        @Override
        IdempotencyStore<Handle> over(IdempotencyStore<Handle> store) {
            return new FailedOnUnknownCommit(store);
        }
    },
    FAILED_BEFORE_DURABLE("a failure is reported and not written", Mode.TAKE_OVER) {
        @Override
        IdempotencyStore<Handle> over(IdempotencyStore<Handle> store) {
            return steps(store, (real, session) -> new ForwardingSteps(real) {
                @Override
                public boolean fail(IdempotencyKey key, UUID token, Failure failure) {
                    return true;
                }
            });
        }
    },
    CLAIM_ALWAYS_LEADS("every claim leads", Mode.SINGLE_PLANNED) {
        @Override
        IdempotencyStore<Handle> over(IdempotencyStore<Handle> store) {
            return steps(store, (real, session) -> new ForwardingSteps(real) {
                @Override
                public Optional<IdempotencyRecord> claim(
                        IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
                    Optional<IdempotencyRecord> unused = real.claim(record, retention, lockWait, durability);
                    return Optional.empty();
                }
            });
        }
    },
    ASYNCHRONOUS_COMMIT("the domain and its mark commit asynchronously", Mode.SINGLE_PLANNED, true) {
        @Override
        IdempotencyStore<Handle> over(IdempotencyStore<Handle> store) {
            return new AsynchronousCommit(store);
        }
    },
    THROW_IS_PROOF("whatever an effect elsewhere throws proves that there is none", Mode.EXTERNAL),
    RELEASE_WITHOUT_PROOF("whatever an effect elsewhere throws releases the key", Mode.EXTERNAL),
    EXTERNAL_TAKE_OVER("effects elsewhere are taken over", Mode.EXTERNAL) {
        @Override
        IdempotencyStore<Handle> over(IdempotencyStore<Handle> store) {
            return steps(store, (real, session) -> new ForwardingSteps(real) {
                @Override
                public Optional<IdempotencyRecord> claim(
                        IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
                    Optional<IdempotencyRecord> claim = real.claim(record, retention, lockWait, durability);
                    return claim.isPresent()
                                    && isOlder(claim.get(), Mode.GRACE)
                                    && real.replaceToken(
                                            record.key(), claim.get().token(), record.token())
                            ? Optional.empty()
                            : claim;
                }
            });
        }
    },
    PENDING_IS_FAILED("a follower fails what it finds pending", Mode.EXTERNAL) {
        @Override
        IdempotencyStore<Handle> over(IdempotencyStore<Handle> store) {
            return steps(store, (real, session) -> new ForwardingSteps(real) {
                @Override
                public Optional<IdempotencyRecord> claim(
                        IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
                    Optional<IdempotencyRecord> claim = real.claim(record, retention, lockWait, durability);
                    if (claim.isPresent() && isPending(claim.get())) {
                        UUID token = claim.get().token();
                        boolean unused = real.fail(record.key(), token, new Failure("absent", ""));
                        return real.read(record.key()).or(() -> claim);
                    }
                    return claim;
                }
            });
        }
    },
    PURGE_OF_PENDING("the purge looks at ages only", Mode.EXTERNAL_PLANNED) {
        @Override
        IdempotencyStore<Handle> over(IdempotencyStore<Handle> store) {
            return new PurgeOfPending(store);
        }
    },
    ASYNCHRONOUS_EXTERNAL_CLAIM("the claim of an effect elsewhere commits asynchronously", Mode.EXTERNAL, true) {
        @Override
        IdempotencyStore<Handle> over(IdempotencyStore<Handle> store) {
            return steps(store, (real, session) -> new ForwardingSteps(real) {
                @Override
                public Optional<IdempotencyRecord> claim(
                        IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
                    return real.claim(record, retention, lockWait, Durability.ASYNCHRONOUS);
                }
            });
        }
    },
    WARNING_IGNORED("a commit with a warning is a success", Mode.FAILOVER_CLAIM_FIRST) {
        @Override
        IdempotencyStore<Handle> over(IdempotencyStore<Handle> store) {
            return new WarningIgnored(store);
        }
    },
    CONFIRMED_BY_A_READ("an answer in doubt is confirmed by a read", Mode.FAILOVER_CLAIM_FIRST) {
        @Override
        IdempotencyStore<Handle> over(IdempotencyStore<Handle> store) {
            return new ConfirmedByReading(store);
        }
    },
    CLAIM_CONFIRMED_BY_A_READ("an effect elsewhere begins on a claim that was read", Mode.FAILOVER_EXTERNAL) {
        @Override
        IdempotencyStore<Handle> over(IdempotencyStore<Handle> store) {
            return new ConfirmedByReading(store);
        }
    };

    private final String text;
    private final Mode mode;
    private final boolean showsInCrashes;

    Mutant(String text, Mode mode) {
        this(text, mode, false);
    }

    Mutant(String text, Mode mode, boolean showsInCrashes) {
        this.text = text;
        this.mode = mode;
        this.showsInCrashes = showsInCrashes;
    }

    /** The faults that bring it to light. */
    Rates rates() {
        if (mode.isReplicated()) {
            return Rates.NOTHING_BUT_FAILOVERS;
        }
        return showsInCrashes ? Rates.CRASHES : Rates.CUTS_AND_STOPS;
    }

    /** The mode in which it is wrong. */
    Mode mode() {
        return mode;
    }

    /** The wrong store; the right one where the operation itself is wrong. */
    IdempotencyStore<Handle> over(IdempotencyStore<Handle> store) {
        return store;
    }

    String option() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    @Override
    public String toString() {
        return text;
    }

    private interface Steps {
        RecordSteps between(RecordSteps real, Session<Handle> session);
    }

    private static IdempotencyStore<Handle> steps(IdempotencyStore<Handle> store, Steps steps) {
        return new InterceptingStore<>(store) {
            @Override
            protected RecordSteps steps(RecordSteps real, Session<Handle> session) {
                return steps.between(real, session);
            }
        };
    }

    private static boolean isPending(IdempotencyRecord record) {
        return record.fold(pending -> true, succeeded -> false, failed -> false);
    }

    private static boolean isOlder(IdempotencyRecord record, Duration age) {
        return record.fold(pending -> pending.age().compareTo(age) > 0, succeeded -> false, failed -> false);
    }

    private static boolean isSucceeded(IdempotencyRecord record) {
        return record.fold(pending -> false, succeeded -> true, failed -> false);
    }

    private static final class MarkOutside extends InterceptingStore<Handle> {
        private static final ThreadLocal<@Nullable Runnable> MARK = new ThreadLocal<>();

        MarkOutside(IdempotencyStore<Handle> store) {
            super(store);
        }

        @Override
        protected RecordSteps steps(RecordSteps real, Session<Handle> session) {
            return new ForwardingSteps(real) {
                @Override
                public boolean succeed(IdempotencyKey key, UUID token, Optional<Payload> result) {
                    MARK.set(() -> {
                        boolean unused = session.<Boolean>autoCommit(steps -> steps.succeed(key, token, result));
                    });
                    return true;
                }
            };
        }

        @Override
        protected void committed(Session<Handle> session) {
            Runnable now = MARK.get();
            MARK.remove();
            if (now != null) {
                now.run();
            }
        }
    }

    private static final class NoFence extends InterceptingStore<Handle> {
        private static final ThreadLocal<@Nullable Pending> CLAIMED = new ThreadLocal<>();

        NoFence(IdempotencyStore<Handle> store) {
            super(store);
        }

        @Override
        protected RecordSteps steps(RecordSteps real, Session<Handle> session) {
            return new ForwardingSteps(real) {
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

    private static final class FailedOnUnknownCommit extends InterceptingStore<Handle> {
        private static final ThreadLocal<@Nullable Throwable> AT_COMMIT = new ThreadLocal<>();

        FailedOnUnknownCommit(IdempotencyStore<Handle> store) {
            super(store);
        }

        @Override
        protected Session<Handle> decorate(Session<Handle> real) {
            return new InterceptingSession(real) {
                @Override
                public <T> T inTransaction(
                        BiFunction<? super RecordSteps, ? super WorkScope<Handle>, ? extends T> body) {
                    boolean[] returned = {false};
                    try {
                        return super.<T>inTransaction((steps, scope) -> {
                            T answer = body.apply(steps, scope);
                            returned[0] = true;
                            return answer;
                        });
                    } catch (RuntimeException thrown) {
                        if (returned[0]) {
                            AT_COMMIT.set(thrown);
                        }
                        throw thrown;
                    }
                }
            };
        }

        @Override
        public Fault classify(Throwable thrown) {
            return thrown == AT_COMMIT.get() ? Fault.STATEMENT_REFUSED : super.classify(thrown);
        }

        @Override
        protected RecordSteps steps(RecordSteps real, Session<Handle> session) {
            return new ForwardingSteps(real) {
                @Override
                public boolean fail(IdempotencyKey key, UUID token, Failure failure) {
                    boolean changed = real.fail(key, token, failure);
                    boolean unknown = AT_COMMIT.get() != null;
                    AT_COMMIT.remove();
                    return changed || unknown;
                }
            };
        }
    }

    private static final class PurgeOfPending extends InterceptingStore<Handle> {
        private static final Duration LONG_AGO = Duration.ofMillis(200);
        private static final int REMEMBERED = 300;

        private final Queue<IdempotencyKey> claimed = new ConcurrentLinkedQueue<>();

        PurgeOfPending(IdempotencyStore<Handle> store) {
            super(store);
        }

        @Override
        protected RecordSteps steps(RecordSteps real, Session<Handle> session) {
            return new ForwardingSteps(real) {
                @Override
                public Optional<IdempotencyRecord> claim(
                        IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
                    claimed.add(record.key());
                    if (claimed.size() > REMEMBERED) {
                        claimed.remove();
                    }
                    return real.claim(record, retention, lockWait, durability);
                }
            };
        }

        @Override
        public int purgeExpired(int batch) {
            int purged = store.purgeExpired(batch);
            for (IdempotencyKey key : claimed) {
                Optional<UUID> token = store.read(key)
                        .filter(record -> isOlder(record, LONG_AGO))
                        .map(IdempotencyRecord::token);
                if (token.isPresent()) {
                    try (Session<Handle> session = store.open(key)) {
                        boolean released = session.<Boolean>autoCommit(steps -> steps.release(key, token.get()));
                        purged += released ? 1 : 0;
                    }
                }
            }
            return purged;
        }
    }

    private static final class AsynchronousCommit extends InterceptingStore<Handle> {

        AsynchronousCommit(IdempotencyStore<Handle> store) {
            super(store);
        }

        @Override
        protected Session<Handle> decorate(Session<Handle> real) {
            return new InterceptingSession(real) {
                @Override
                public <T> T inTransaction(
                        BiFunction<? super RecordSteps, ? super WorkScope<Handle>, ? extends T> body) {
                    return super.<T>inTransaction((steps, scope) -> body.apply(steps(steps, scope), scope));
                }
            };
        }

        private static RecordSteps steps(RecordSteps real, WorkScope<Handle> scope) {
            return new ForwardingSteps(real) {
                @Override
                public Optional<IdempotencyRecord> claim(
                        IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
                    Optional<IdempotencyRecord> claim = real.claim(record, retention, lockWait, durability);
                    if (claim.isEmpty() && isSucceeded(record)) {
                        int unused = scope.handle().execute("SET LOCAL synchronous_commit = off");
                    }
                    return claim;
                }

                /** Its guard would make the commit durable again. */
                @Override
                public void requireSameTransaction(
                        IdempotencyKey key, Supplier<? extends RuntimeException> otherwise) {}
            };
        }
    }

    private static final class WarningIgnored extends InterceptingStore<Handle> {

        WarningIgnored(IdempotencyStore<Handle> store) {
            super(store);
        }

        @Override
        protected Session<Handle> decorate(Session<Handle> real) {
            return new InterceptingSession(real) {
                @Override
                public <T> T inTransaction(
                        BiFunction<? super RecordSteps, ? super WorkScope<Handle>, ? extends T> body) {
                    List<T> answers = new ArrayList<>();
                    try {
                        return super.<T>inTransaction((steps, scope) -> {
                            answers.add(body.apply(steps, scope));
                            return answers.get(0);
                        });
                    } catch (RuntimeException thrown) {
                        if (!answers.isEmpty() && isWarning(thrown)) {
                            return answers.get(0);
                        }
                        throw thrown;
                    }
                }
            };
        }
    }

    private static boolean isWarning(Throwable thrown) {
        Throwable at = thrown;
        while (at != null && !(at instanceof SQLWarning)) {
            at = at.getCause();
        }
        return at != null;
    }

    /** What it locks, it locks in a transaction that writes nothing afterwards. */
    private static final class ConfirmedByReading extends InterceptingStore<Handle> {

        ConfirmedByReading(IdempotencyStore<Handle> store) {
            super(store);
        }

        @Override
        protected RecordSteps steps(RecordSteps real, Session<Handle> session) {
            return new ForwardingSteps(real) {
                @Override
                public boolean confirm(IdempotencyKey key, UUID token) {
                    return real.read(key)
                            .filter(record -> record.token().equals(token))
                            .isPresent();
                }
            };
        }
    }
}
