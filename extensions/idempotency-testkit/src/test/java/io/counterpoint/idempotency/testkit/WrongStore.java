package io.counterpoint.idempotency.testkit;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Failed;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.WorkScope;
import io.counterpoint.idempotency.testkit.faults.ForwardingSteps;
import io.counterpoint.idempotency.testkit.faults.InterceptingStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Stores that do one thing wrong, each named by what it does, with the test that is there to notice it. */
enum WrongStore {
    TAKE_OVER_KEEPS_THE_OLD_TOKEN("replacedTokenCountsForNothing", steps -> new ForwardingSteps(steps) {
        @Override
        public boolean replaceToken(IdempotencyKey key, UUID token, UUID fresh) {
            return steps.replaceToken(key, token, token);
        }
    }),
    TAKE_OVER_IGNORES_THE_TOKEN("wrongTokenChangesNothing", steps -> new ForwardingSteps(steps) {
        @Override
        public boolean replaceToken(IdempotencyKey key, UUID token, UUID fresh) {
            return steps.replaceToken(key, tokenOf(key, token), fresh);
        }
    }),
    SIGN_OF_LIFE_IS_NOT_WRITTEN("ageGrowsFromTheClaimAndBeginsAgainWithTheToken", steps -> new ForwardingSteps(steps) {
        @Override
        public boolean replaceToken(IdempotencyKey key, UUID token, UUID fresh) {
            return token.equals(fresh) || steps.replaceToken(key, token, fresh);
        }
    }),
    FAIL_IGNORES_THE_TOKEN("wrongTokenChangesNothing", steps -> new ForwardingSteps(steps) {
        @Override
        public boolean fail(IdempotencyKey key, UUID token, Failure failure) {
            return steps.fail(key, tokenOf(key, token), failure);
        }
    }),
    FAIL_ALWAYS_SAYS_THAT_IT_DID("absentRecordIsNotChanged", steps -> new ForwardingSteps(steps) {
        @Override
        public boolean fail(IdempotencyKey key, UUID token, Failure failure) {
            steps.fail(key, token, failure);
            return true;
        }
    }),
    FAILURE_LOSES_ITS_MESSAGE("failStoresTheFailureAndKeepsTheRest", steps -> new ForwardingSteps(steps) {
        @Override
        public boolean fail(IdempotencyKey key, UUID token, Failure failure) {
            return steps.fail(key, token, new Failure(failure.code(), ""));
        }
    }),
    SUCCEED_IGNORES_THE_TOKEN("wrongTokenChangesNothing", steps -> new ForwardingSteps(steps) {
        @Override
        public boolean succeed(IdempotencyKey key, UUID token, Optional<Payload> result) {
            return steps.succeed(key, tokenOf(key, token), result);
        }
    }),
    SUCCEED_WITHOUT_RESULT_FORGETS_THE_PLAN(
            "succeedWithoutResultLeavesThePlanAsTheResult", steps -> new ForwardingSteps(steps) {
                @Override
                public boolean succeed(IdempotencyKey key, UUID token, Optional<Payload> result) {
                    return steps.succeed(key, token, result.or(() -> Optional.of(Payload.of(new byte[0]))));
                }
            }),
    RELEASE_IGNORES_THE_TOKEN("wrongTokenChangesNothing", steps -> new ForwardingSteps(steps) {
        @Override
        public boolean release(IdempotencyKey key, UUID token) {
            return steps.release(key, tokenOf(key, token));
        }
    }),
    RELEASE_IGNORES_THE_STATE("terminalRecordIsNotChangedByItsOwnTokenEither", () -> new HidingStore() {
        @Override
        protected RecordSteps steps(RecordSteps steps, Session<Transaction> session) {
            return new HidingSteps(steps) {
                @Override
                public boolean release(IdempotencyKey key, UUID token) {
                    return steps.release(key, token) || (tokenOf(key, fresh()).equals(token) && hide(key));
                }
            };
        }
    }),
    CLAIM_OVERWRITES_A_PENDING_RECORD(
            "claimOfAKeyThatHasARecordFollowsAndChangesNothing", steps -> new ForwardingSteps(steps) {
                @Override
                public Optional<IdempotencyRecord> claim(
                        IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
                    Optional<IdempotencyRecord> claim = steps.claim(record, retention, lockWait, durability);
                    return claim.isPresent()
                                    && steps.release(record.key(), claim.get().token())
                            ? steps.claim(record, retention, lockWait, durability)
                            : claim;
                }
            }),
    CLAIM_LEADS_AGAIN_AFTER_A_FAILURE(
            "claimOfAKeyThatHasARecordFollowsAndChangesNothing", steps -> new ForwardingSteps(steps) {
                @Override
                public Optional<IdempotencyRecord> claim(
                        IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
                    Optional<IdempotencyRecord> claim = steps.claim(record, retention, lockWait, durability);
                    return claim.filter(found -> !(found instanceof Failed));
                }
            }),
    CLAIM_IS_CHECKED_AND_THEN_MADE(
            "claimWaitsForAnUncommittedInsertAndGivesUpAfterItsBound",
            () -> new InterceptingStore<>(new InMemoryIdempotencyStore()) {
                @Override
                protected RecordSteps steps(RecordSteps steps, Session<Transaction> session) {
                    return new ForwardingSteps(steps) {
                        @Override
                        public Optional<IdempotencyRecord> claim(
                                IdempotencyRecord record,
                                Duration retention,
                                Duration lockWait,
                                Durability durability) {
                            try {
                                return steps.claim(record, retention, Duration.ofNanos(1), durability);
                            } catch (RuntimeException locked) {
                                return Optional.empty();
                            }
                        }
                    };
                }
            }),
    CLAIM_DOES_NOT_WAIT("claimLeadsWhenTheInsertItWaitedForIsRolledBack", steps -> new ForwardingSteps(steps) {
        @Override
        public Optional<IdempotencyRecord> claim(
                IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
            return steps.claim(record, retention, Duration.ofNanos(1), durability);
        }
    }),
    CLAIM_WAITS_BEHIND_A_MARK("claimDoesNotWaitForAnUncommittedMark", steps -> new ForwardingSteps(steps) {
        @Override
        public Optional<IdempotencyRecord> claim(
                IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
            return steps.lock(record.key(), lockWait).or(() -> steps.claim(record, retention, lockWait, durability));
        }
    }),
    CLAIM_FORGETS_THE_PLAN(
            "claimOfAnAbsentKeyLeadsAndStoresTheRecordInEveryState",
            storing(record -> record.fold(
                    pending -> new Pending(
                            pending.key(),
                            pending.protocol(),
                            pending.token(),
                            pending.fingerprint(),
                            Optional.empty(),
                            pending.age()),
                    succeeded -> succeeded,
                    failed -> failed))),
    CLAIM_FORGETS_THE_PROTOCOL(
            "everyProtocolIsKept",
            storing(record -> record.fold(
                    pending -> new Pending(
                            pending.key(),
                            Protocol.CLAIM_FIRST,
                            pending.token(),
                            pending.fingerprint(),
                            pending.plan(),
                            pending.age()),
                    succeeded -> succeeded,
                    failed -> failed))),
    CLAIM_FORGETS_THE_FINGERPRINT(
            "fingerprintsAreKept",
            storing(record -> record.fold(
                    pending -> new Pending(
                            pending.key(),
                            pending.protocol(),
                            pending.token(),
                            Fingerprint.of(),
                            pending.plan(),
                            pending.age()),
                    succeeded -> succeeded,
                    failed -> failed))),
    CLAIM_ALONE_IS_ROLLED_BACK(
            "claimThatMayBeLostInACrashIsCommittedAllTheSame",
            () -> new InterceptingStore<>(new InMemoryIdempotencyStore()) {
                @Override
                protected Session<Transaction> decorate(Session<Transaction> real) {
                    return new InterceptingSession(real) {
                        @Override
                        public <T> T autoCommit(Function<? super RecordSteps, ? extends T> step) {
                            List<T> answer = new ArrayList<>();
                            try {
                                return session.inTransaction((transaction, scope) -> {
                                    answer.add(step.apply(transaction));
                                    throw new RollBack();
                                });
                            } catch (RollBack rolledBack) {
                                return answer.get(0);
                            }
                        }
                    };
                }
            }),
    EMPTY_PAYLOAD_IS_STORED_AS_NONE("payloadsAreKeptToTheByte", steps -> new ForwardingSteps(steps) {
        @Override
        public boolean succeed(IdempotencyKey key, UUID token, Optional<Payload> result) {
            return steps.succeed(key, token, result.filter(payload -> payload.toBytes().length > 0));
        }
    }),
    TERMINAL_RECORD_FORGETS_ITS_TOKEN(
            "succeedStoresTheResultAndKeepsTheRest",
            seeing(record -> record.fold(
                    pending -> pending,
                    succeeded -> new Succeeded(
                            succeeded.key(),
                            succeeded.protocol(),
                            new UUID(0, 0),
                            succeeded.fingerprint(),
                            succeeded.result()),
                    failed -> failed))),
    AGE_IS_OF_ANOTHER_CLOCK(
            "claimTellsTheAgeOfAPendingRecord",
            seeing(record -> record.fold(
                    pending -> new Pending(
                            pending.key(),
                            pending.protocol(),
                            pending.token(),
                            pending.fingerprint(),
                            pending.plan(),
                            pending.age().plusHours(1)),
                    succeeded -> succeeded,
                    failed -> failed))),
    READ_SEES_UNCOMMITTED_CLAIMS(
            "readSeesOnlyWhatIsCommitted", () -> new InterceptingStore<>(new InMemoryIdempotencyStore()) {
                private final Map<IdempotencyKey, IdempotencyRecord> seen = new ConcurrentHashMap<>();

                @Override
                protected RecordSteps steps(RecordSteps steps, Session<Transaction> session) {
                    return new ForwardingSteps(steps) {
                        @Override
                        public Optional<IdempotencyRecord> claim(
                                IdempotencyRecord record,
                                Duration retention,
                                Duration lockWait,
                                Durability durability) {
                            Optional<IdempotencyRecord> claim = steps.claim(record, retention, lockWait, durability);
                            seen.putIfAbsent(record.key(), record);
                            return claim;
                        }

                        @Override
                        public Optional<IdempotencyRecord> read(IdempotencyKey key) {
                            return steps.read(key).or(() -> Optional.ofNullable(seen.get(key)));
                        }
                    };
                }
            }),
    LOCK_DOES_NOT_LOCK("lockIsHeldUntilTheTransactionEnds", steps -> new ForwardingSteps(steps) {
        @Override
        public Optional<IdempotencyRecord> lock(IdempotencyKey key, Duration lockWait) {
            return steps.read(key);
        }
    }),
    LOCK_WAITS_THOUGH_TOLD_NOT_TO("lockWithoutWaitFailsAtOnce", steps -> new ForwardingSteps(steps) {
        @Override
        public Optional<IdempotencyRecord> lock(IdempotencyKey key, Duration lockWait) {
            return steps.lock(key, lockWait.isZero() ? Duration.ofSeconds(1) : lockWait);
        }
    }),
    LOCK_DOES_NOT_WAIT("lockThatWaitedReadsWhatWasCommittedMeanwhile", steps -> new ForwardingSteps(steps) {
        @Override
        public Optional<IdempotencyRecord> lock(IdempotencyKey key, Duration lockWait) {
            return steps.lock(key, Duration.ZERO);
        }
    }),
    LOCK_READS_BEFORE_IT_WAITS("lockThatWaitedReadsWhatWasCommittedMeanwhile", steps -> new ForwardingSteps(steps) {
        @Override
        public Optional<IdempotencyRecord> lock(IdempotencyKey key, Duration lockWait) {
            Optional<IdempotencyRecord> before = steps.read(key);
            return steps.lock(key, lockWait).flatMap(locked -> before);
        }
    }),
    KEYS_ARE_FOLDED(
            "keysThatAreNearlyTheSameAreDifferent",
            keyed(key ->
                    new IdempotencyKey(key.scope(), key.operation(), key.value().toLowerCase(Locale.ROOT)))),
    KEYS_ARE_CUT(
            "keysOfTheGreatestLengthAreKept",
            keyed(key -> new IdempotencyKey(
                    key.scope(),
                    key.operation(),
                    key.value().substring(0, Math.min(200, key.value().length()))))),
    SCOPE_IS_NOT_PART_OF_THE_KEY(
            "keysThatAreNearlyTheSameAreDifferent",
            keyed(key -> new IdempotencyKey("all", key.operation(), key.value()))),
    PURGE_TAKES_PENDING_RECORDS(
            "purgeNeverTakesAPendingRecord", () -> new InterceptingStore<>(new InMemoryIdempotencyStore()) {
                private final Set<IdempotencyKey> keys = ConcurrentHashMap.newKeySet();

                @Override
                protected RecordSteps steps(RecordSteps steps, Session<Transaction> session) {
                    return new ForwardingSteps(steps) {
                        @Override
                        public Optional<IdempotencyRecord> claim(
                                IdempotencyRecord record,
                                Duration retention,
                                Duration lockWait,
                                Durability durability) {
                            keys.add(record.key());
                            return steps.claim(record, retention, lockWait, durability);
                        }
                    };
                }

                @Override
                public int purgeExpired(int batch) {
                    int purged = store.purgeExpired(batch);
                    try (Session<Transaction> session = store.open(new IdempotencyKey("user:1", "operation", "any"))) {
                        for (IdempotencyKey key : keys) {
                            boolean released = session.<Boolean>inTransaction((steps, scope) -> steps.read(key)
                                    .filter(record -> steps.release(key, record.token()))
                                    .isPresent());
                            purged += released ? 1 : 0;
                        }
                    }
                    return purged;
                }
            }),
    PURGE_TAKES_WHAT_HAS_NOT_EXPIRED(
            "purgeTakesTerminalRecordsPastTheirRetention", steps -> new ForwardingSteps(steps) {
                @Override
                public Optional<IdempotencyRecord> claim(
                        IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
                    return steps.claim(record, Duration.ofNanos(1), lockWait, durability);
                }
            }),
    PURGE_COUNTS_FROM_THE_CLAIM_ONLY("retentionIsCountedFromTheLastChangeAsWell", () -> new HidingStore() {
        private final Map<IdempotencyKey, Long> expiry = new ConcurrentHashMap<>();

        @Override
        protected RecordSteps steps(RecordSteps steps, Session<Transaction> session) {
            return new HidingSteps(steps) {
                @Override
                public Optional<IdempotencyRecord> claim(
                        IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
                    Optional<IdempotencyRecord> claim = super.claim(record, retention, lockWait, durability);
                    if (claim.isEmpty()) {
                        expiry.put(record.key(), System.nanoTime() + retention.toNanos());
                    }
                    return claim;
                }
            };
        }

        @Override
        public int purgeExpired(int batch) {
            try (Session<Transaction> session = store.open(new IdempotencyKey("user:1", "operation", "any"))) {
                return (int) expiry.entrySet().stream()
                        .filter(entry -> entry.getValue() < System.nanoTime())
                        .map(Map.Entry::getKey)
                        .filter(key -> session.<Boolean>inTransaction((steps, scope) -> steps.read(key)
                                .filter(record -> !(record instanceof Pending))
                                .isPresent()))
                        .limit(batch)
                        .filter(this::hide)
                        .count();
            }
        }
    }),
    PURGE_TAKES_MORE_THAN_ITS_BATCH(
            "purgeKeepsToItsBatch", () -> new InterceptingStore<>(new InMemoryIdempotencyStore()) {
                @Override
                public int purgeExpired(int batch) {
                    return store.purgeExpired(Integer.MAX_VALUE);
                }
            }),
    PURGE_DOES_NOTHING(
            "purgeTakesTerminalRecordsPastTheirRetention",
            () -> new InterceptingStore<>(new InMemoryIdempotencyStore()) {
                @Override
                public int purgeExpired(int batch) {
                    return 0;
                }
            }),
    COMMITS_WHAT_THREW("bodyThatThrowsLeavesNothing", () -> new InterceptingStore<>(new InMemoryIdempotencyStore()) {
        @Override
        protected Session<Transaction> decorate(Session<Transaction> real) {
            return new InterceptingSession(real) {
                @Override
                public <T> T inTransaction(
                        BiFunction<? super RecordSteps, ? super WorkScope<Transaction>, ? extends T> body) {
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
            };
        }
    }),
    COMMITS_EVERY_STEP_BY_ITSELF(
            "bodyThatThrowsLeavesNothing", () -> new InterceptingStore<>(new InMemoryIdempotencyStore()) {
                @Override
                protected RecordSteps steps(RecordSteps steps, Session<Transaction> session) {
                    return new ForwardingSteps(steps) {
                        @Override
                        public Optional<IdempotencyRecord> claim(
                                IdempotencyRecord record,
                                Duration retention,
                                Duration lockWait,
                                Durability durability) {
                            return autoCommit(other -> other.claim(record, retention, lockWait, durability));
                        }

                        @Override
                        public boolean succeed(IdempotencyKey key, UUID token, Optional<Payload> result) {
                            return this.<Boolean>autoCommit(other -> other.succeed(key, token, result));
                        }

                        private <T> T autoCommit(Function<? super RecordSteps, ? extends T> step) {
                            return AnotherThread.get(() -> {
                                try (Session<Transaction> session =
                                        store.open(new IdempotencyKey("user:1", "operation", "any"))) {
                                    return session.autoCommit(step);
                                }
                            });
                        }
                    };
                }
            }),
    WRAPS_WHAT_WAS_THROWN(
            "whatTheBodyThrowsIsTheSameObject", () -> new InterceptingStore<>(new InMemoryIdempotencyStore()) {
                @Override
                protected Session<Transaction> decorate(Session<Transaction> real) {
                    return new InterceptingSession(real) {
                        @Override
                        public <T> T inTransaction(
                                BiFunction<? super RecordSteps, ? super WorkScope<Transaction>, ? extends T> body) {
                            try {
                                return session.inTransaction(body);
                            } catch (RuntimeException thrown) {
                                throw new IllegalStateException(thrown);
                            }
                        }
                    };
                }
            }),
    OPENS_A_SESSION_INSIDE_A_TRANSACTION(
            "sessionInsideATransactionOfTheSameThreadIsRefused",
            () -> new InterceptingStore<>(new InMemoryIdempotencyStore()) {
                @Override
                public Session<Transaction> open(IdempotencyKey key) {
                    return AnotherThread.get(() -> store.open(key));
                }
            }),
    LOOKS_AT_NO_CAUSES("causesOfAFaultAreLookedAt", () -> new InterceptingStore<>(new InMemoryIdempotencyStore()) {
        @Override
        public Fault classify(Throwable thrown) {
            return thrown.getCause() == null ? store.classify(thrown) : Fault.UNRECOGNISED;
        }
    }),
    KNOWS_NO_FAULT("lockWithoutWaitFailsAtOnce", () -> new InterceptingStore<>(new InMemoryIdempotencyStore()) {
        @Override
        public Fault classify(Throwable thrown) {
            return Fault.UNRECOGNISED;
        }
    }),
    TAKES_EVERYTHING_FOR_A_CONFLICT(
            "whatTheStoreDoesNotKnowProvesNothing", () -> new InterceptingStore<>(new InMemoryIdempotencyStore()) {
                @Override
                public Fault classify(Throwable thrown) {
                    return Fault.CONFLICT;
                }
            }),
    CLOSES_ONLY_ONCE("closingTwiceIsNoHarm", () -> new InterceptingStore<>(new InMemoryIdempotencyStore()) {
        @Override
        protected Session<Transaction> decorate(Session<Transaction> real) {
            return new InterceptingSession(real) {
                private boolean closed;

                @Override
                public void close() {
                    if (closed) {
                        throw new IllegalStateException("closed");
                    }
                    closed = true;
                }
            };
        }
    });

    @SuppressWarnings("ImmutableEnumChecker") // It makes a new one each time.
    private final Supplier<IdempotencyStore<Transaction>> factory;

    private final String test;

    WrongStore(String test, Supplier<IdempotencyStore<Transaction>> factory) {
        this.test = test;
        this.factory = factory;
    }

    WrongStore(String test, UnaryOperator<RecordSteps> wrong) {
        this(test, () -> new InterceptingStore<>(new InMemoryIdempotencyStore()) {
            @Override
            protected RecordSteps steps(RecordSteps transaction, Session<Transaction> session) {
                return wrong.apply(transaction);
            }
        });
    }

    /** A new one, without records. */
    IdempotencyStore<Transaction> create() {
        return factory.get();
    }

    /** The test of the contract that is there to notice it. */
    String test() {
        return test;
    }

    private static UUID fresh() {
        return UUID.randomUUID();
    }

    /** Stores something else than what is claimed. */
    private static UnaryOperator<RecordSteps> storing(UnaryOperator<IdempotencyRecord> change) {
        return steps -> new ForwardingSteps(steps) {
            @Override
            public Optional<IdempotencyRecord> claim(
                    IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
                return steps.claim(change.apply(record), retention, lockWait, durability);
            }
        };
    }

    /** Reads something else than what is stored. */
    private static UnaryOperator<RecordSteps> seeing(UnaryOperator<IdempotencyRecord> change) {
        return steps -> new ForwardingSteps(steps) {
            @Override
            public Optional<IdempotencyRecord> read(IdempotencyKey key) {
                return steps.read(key).map(change);
            }

            @Override
            public Optional<IdempotencyRecord> lock(IdempotencyKey key, Duration lockWait) {
                return steps.lock(key, lockWait).map(change);
            }
        };
    }

    /** Takes one key for another. */
    private static UnaryOperator<RecordSteps> keyed(UnaryOperator<IdempotencyKey> change) {
        return steps -> new ForwardingSteps(steps) {
            @Override
            public Optional<IdempotencyRecord> claim(
                    IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
                return steps.claim(
                        record.fold(
                                pending -> new Pending(
                                        change.apply(pending.key()),
                                        pending.protocol(),
                                        pending.token(),
                                        pending.fingerprint(),
                                        pending.plan(),
                                        pending.age()),
                                succeeded -> succeeded,
                                failed -> failed),
                        retention,
                        lockWait,
                        durability);
            }

            @Override
            public Optional<IdempotencyRecord> read(IdempotencyKey key) {
                return steps.read(change.apply(key));
            }
        };
    }

    /** Can let records disappear that the in-memory store would keep. */
    private abstract static class HidingStore extends InterceptingStore<Transaction> {
        private final Set<IdempotencyKey> hidden = ConcurrentHashMap.newKeySet();

        HidingStore() {
            super(new InMemoryIdempotencyStore());
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
                return super.read(key).filter(record -> !hidden.contains(key));
            }
        }
    }

    private static final class RollBack extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }
}
