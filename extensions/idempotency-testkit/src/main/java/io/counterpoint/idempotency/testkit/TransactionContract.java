package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.Session;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Sessions and transactions: all or nothing, visible when committed, and thrown objects that stay the same. */
abstract class TransactionContract<C> extends ContractTest<C> {

    TransactionContract(Fixture<C> fixture) {
        super(fixture);
    }

    @Test
    void recordAndEffectCommitTogether() {
        Pending record = plant(pending("k"));

        inTransaction((transaction, scope) -> {
            transaction.lock(record.key(), Duration.ZERO);
            domain.write(scope.handle(), "effect");
            return transaction.succeed(record.key(), record.token(), Optional.of(bytes("done")));
        });

        assertThat(found(record.key())).isInstanceOf(Succeeded.class);
        assertThat(domain.committed()).containsExactly("effect");
        assertThat(isThere("effect")).isTrue();
        assertThat(isThere("another")).isFalse();
    }

    @Test
    void domainOfTheContractShowsDuplicates() {
        for (int i = 0; i < 2; i++) {
            inTransaction((transaction, scope) -> {
                domain.write(scope.handle(), "effect");
                return true;
            });
        }

        assertThat(domain.committed()).containsExactly("effect", "effect");
    }

    @Test
    void lastMarkCommitsWithItsTransaction() {
        Pending record = plant(pending("k"));
        try (Session<Optional<C>> session = store.mapped(Optional::of).open(key("k"))) {
            session.inTransaction((transaction, scope) -> {
                transaction.lock(record.key(), Duration.ZERO);
                domain.write(scope.handle().orElseThrow(), "effect");
                transaction.succeedAndCommit(
                        record.key(), record.token(), Optional.of(bytes("done")), IllegalArgumentException::new);
                AnotherThread.run(() -> assertThat(domain.committed()).isEmpty());
                return true;
            });
        }
        assertThat(found(record.key()))
                .isInstanceOfSatisfying(
                        Succeeded.class, now -> assertThat(now.result()).contains(bytes("done")));
        assertThat(domain.committed()).containsExactly("effect");
    }

    @Test
    void lastMarkLetsThePlanStand() {
        IdempotencyRecord record = plant(pending("k", Optional.of(bytes("plan"))));
        inTransaction(transaction -> {
            transaction.lock(record.key(), Duration.ZERO);
            transaction.succeedAndCommit(record.key(), record.token(), Optional.empty(), IllegalArgumentException::new);
            return true;
        });
        assertThat(found(record.key()))
                .isInstanceOfSatisfying(
                        Succeeded.class, now -> assertThat(now.result()).contains(bytes("plan")));
    }

    @Test
    void lastMarkOfARecordClaimedInTheSameTransactionCommits() {
        Pending record = pending("k");
        inTransaction((transaction, scope) -> {
            claim(transaction, record);
            domain.write(scope.handle(), "effect");
            transaction.succeedAndCommit(
                    record.key(), record.token(), Optional.of(bytes("done")), IllegalArgumentException::new);
            return true;
        });
        assertThat(found(record.key())).isInstanceOf(Succeeded.class);
        assertThat(domain.committed()).containsExactly("effect");
    }

    /** One that meets another's token, another state, or nothing; with the lock and without. */
    @Test
    void lastMarkThatChangesNothingLetsNothingBeCommitted() {
        Pending theirs = plant(pending("theirs"));
        List<IdempotencyRecord> unchanged =
                List.of(theirs, plant(succeeded("succeeded")), plant(failed("failed")), pending("absent"));
        for (IdempotencyRecord record : unchanged) {
            for (boolean locks : new boolean[] {true, false}) {
                UUID token = record == theirs ? UUID.randomUUID() : record.token();
                IllegalArgumentException refusal = new IllegalArgumentException("not changed");
                assertThatThrownBy(() -> inTransaction((transaction, scope) -> {
                            claim(transaction, pending("another"));
                            if (locks) {
                                transaction.lock(record.key(), Duration.ZERO);
                            }
                            domain.write(scope.handle(), "effect");
                            transaction.succeedAndCommit(record.key(), token, Optional.empty(), () -> refusal);
                            return true;
                        }))
                        .isSameAs(refusal);
                assertThat(read(key("another"))).isEmpty();
                assertThat(domain.committed()).isEmpty();
            }
            if (!record.key().equals(key("absent"))) {
                assertThat(ageless(found(record.key()))).isEqualTo(record);
            }
        }
    }

    @Test
    void lastMarkIsForgottenWithABodyThatThrows() {
        Pending record = plant(pending("k"));
        IllegalArgumentException thrown = new IllegalArgumentException("domain");
        assertThatThrownBy(() -> inTransaction(transaction -> {
                    transaction.lock(record.key(), Duration.ZERO);
                    transaction.succeedAndCommit(
                            record.key(), record.token(), Optional.empty(), IllegalStateException::new);
                    throw thrown;
                }))
                .isSameAs(thrown);
        assertThat(ageless(found(record.key()))).isEqualTo(record);
    }

    @Test
    void bodyThatThrowsLeavesNothing() {
        Pending marked = plant(pending("marked"));
        Pending released = plant(pending("released"));
        Pending replaced = plant(pending("replaced"));

        Throwable thrown = catchThrowable(() -> inTransaction((transaction, scope) -> {
            claim(transaction, pending("claimed"));
            domain.write(scope.handle(), "effect");
            transaction.succeed(marked.key(), marked.token(), Optional.of(bytes("done")));
            transaction.release(released.key(), released.token());
            transaction.replaceToken(replaced.key(), replaced.token(), UUID.randomUUID());
            throw new IllegalArgumentException("domain");
        }));

        assertThat(thrown).isInstanceOf(IllegalArgumentException.class);
        assertThat(read(key("claimed"))).isEmpty();
        for (Pending record : List.of(marked, released, replaced)) {
            assertThat(ageless(found(record.key()))).isEqualTo(record);
        }
        assertThat(domain.committed()).isEmpty();
    }

    @Test
    void whatTheBodyThrowsIsTheSameObject() {
        for (Throwable thrown : List.of(
                new IllegalStateException("unchecked"),
                new AssertionError("error"),
                new IOException("checked"),
                new InterruptedException("checked as well"))) {
            assertThat(catchThrowable(() -> inTransaction((transaction, scope) -> {
                        domain.write(scope.handle(), "effect");
                        throw TransactionContract.<RuntimeException>same(thrown);
                    })))
                    .isSameAs(thrown);
            assertThat(catchThrowable(() -> autoCommit(transaction -> {
                        throw TransactionContract.<RuntimeException>same(thrown);
                    })))
                    .isSameAs(thrown);
        }
        assertThat(domain.committed()).isEmpty();
    }

    @SuppressWarnings("unchecked")
    private static <X extends Throwable> RuntimeException same(Throwable thrown) throws X {
        throw (X) thrown;
    }

    @Test
    void transactionThatThrewHoldsNoLock() {
        Pending record = plant(pending("k"));
        assertThatThrownBy(() -> inTransaction(transaction -> {
                    claim(transaction, pending("other"));
                    transaction.lock(record.key(), Duration.ZERO);
                    throw new IllegalArgumentException("domain");
                }))
                .isInstanceOf(IllegalArgumentException.class);

        AnotherThread.run(() -> {
            assertThat(locked(record.key(), Duration.ZERO)).isPresent();
            assertThat(claim(pending("other"))).isEmpty();
        });
    }

    @Test
    void readSeesOnlyWhatIsCommitted() {
        Pending marked = plant(pending("marked"));
        Pending released = plant(pending("released"));
        Pending replaced = plant(pending("replaced"));

        inTransaction((transaction, scope) -> {
            claim(transaction, pending("claimed"));
            domain.write(scope.handle(), "effect");
            transaction.succeed(marked.key(), marked.token(), Optional.of(bytes("done")));
            transaction.release(released.key(), released.token());
            transaction.replaceToken(replaced.key(), replaced.token(), UUID.randomUUID());

            AnotherThread.run(() -> {
                assertThat(read(key("claimed"))).isEmpty();
                for (Pending record : List.of(marked, released, replaced)) {
                    assertThat(ageless(found(record.key()))).isEqualTo(record);
                }
                assertThat(domain.committed()).isEmpty();
                assertThat(isThere("effect")).isFalse();
            });
            return true;
        });
    }

    @Test
    void lockReadsTheRecordInEveryState() {
        for (IdempotencyRecord record : List.of(plant(pending("p")), plant(succeeded("s")), plant(failed("f")))) {
            assertThat(locked(record.key(), SHORT).map(ContractTest::ageless)).contains(record);
        }
        assertThat(locked(key("absent"), SHORT)).isEmpty();
        assertThat(locked(key("absent"), Duration.ZERO)).isEmpty();
    }

    @Test
    void lockIsHeldUntilTheTransactionEnds() {
        for (IdempotencyRecord record : List.of(plant(pending("p")), plant(succeeded("s")))) {
            inTransaction(transaction -> {
                transaction.lock(record.key(), SHORT);

                Throwable waited = AnotherThread.thrownBy(() -> locked(record.key(), SHORT));

                assertThat(faultOf(waited)).isEqualTo(Fault.LOCK_TIMEOUT);
                return true;
            });
            assertThat(AnotherThread.get(() -> locked(record.key(), Duration.ZERO)))
                    .isPresent();
        }
    }

    @Test
    void lockWithoutWaitFailsAtOnce() {
        Pending record = plant(pending("k"));
        inTransaction(transaction -> {
            transaction.succeed(record.key(), record.token(), Optional.empty());

            long start = System.nanoTime();
            Throwable thrown = AnotherThread.thrownBy(() -> locked(record.key(), Duration.ZERO));

            assertThat(faultOf(thrown)).isEqualTo(Fault.LOCK_TIMEOUT);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMillis(900));
            return true;
        });
    }

    @Test
    void lockThatWaitedReadsWhatWasCommittedMeanwhile() {
        Pending marked = plant(pending("marked"));
        Pending replaced = plant(pending("replaced"));
        Pending released = plant(pending("released"));
        UUID fresh = UUID.randomUUID();
        List<Future<Optional<IdempotencyRecord>>> locks = new ArrayList<>();
        inTransaction(transaction -> {
            transaction.succeed(marked.key(), marked.token(), Optional.of(bytes("done")));
            transaction.replaceToken(replaced.key(), replaced.token(), fresh);
            transaction.release(released.key(), released.token());
            for (Pending record : List.of(marked, replaced, released)) {
                locks.add(AnotherThread.begin(() -> locked(record.key(), LONG)));
            }
            assertThat(locks).allMatch(AnotherThread::waits);
            return true;
        });

        assertThat(AnotherThread.end(locks.get(0)))
                .hasValueSatisfying(record -> assertThat(record).isInstanceOf(Succeeded.class));
        assertThat(AnotherThread.end(locks.get(1)))
                .hasValueSatisfying(record -> assertThat(record.token()).isEqualTo(fresh));
        assertThat(AnotherThread.end(locks.get(2))).isEmpty();
    }

    @Test
    void lockOfOneKeyLeavesTheOthersFree() {
        Pending first = plant(pending("k1"));
        Pending second = plant(pending("k2"));
        inTransaction(transaction -> {
            transaction.lock(first.key(), Duration.ZERO);

            assertThat(AnotherThread.get(() -> locked(second.key(), Duration.ZERO)))
                    .isPresent();
            return true;
        });
    }

    @Test
    void sessionServesOneTransactionAfterTheOther() {
        Pending record = pending("k");
        try (Session<C> session = store.open(key("session"))) {
            Optional<IdempotencyRecord> claim =
                    session.autoCommit(transaction -> transaction.claim(record, DAY, SHORT, Durability.ASYNCHRONOUS));
            boolean marked = session.inTransaction((transaction, scope) -> {
                domain.write(scope.handle(), "effect");
                return transaction.succeed(record.key(), record.token(), Optional.empty());
            });
            Optional<IdempotencyRecord> found = session.autoCommit(transaction -> transaction.read(record.key()));

            assertThat(claim).isEmpty();
            assertThat(marked).isTrue();
            assertThat(found).hasValueSatisfying(now -> assertThat(now).isInstanceOf(Succeeded.class));
        }
        assertThat(domain.committed()).containsExactly("effect");
    }

    @Test
    void claimToLeadIsCommittedBeforeTheTransactionThatLocks() {
        Pending record = pending("k");
        IllegalArgumentException thrown = new IllegalArgumentException("domain");
        try (Session<Optional<C>> session = store.mapped(Optional::of).open(key("k"))) {
            assertThat(session.claimAndLock(record, DAY, SHORT, Durability.ASYNCHRONOUS))
                    .isEmpty();
            assertThat(AnotherThread.get(() -> read(record.key())).map(ContractTest::ageless))
                    .contains(record);
            assertThatThrownBy(() -> session.inTransaction((transaction, scope) -> {
                        assertThat(transaction.lock(record.key(), SHORT).map(ContractTest::ageless))
                                .contains(record);
                        Throwable held = AnotherThread.thrownBy(() -> locked(record.key(), Duration.ZERO));
                        assertThat(store.classify(Objects.requireNonNull(held))).isEqualTo(Fault.LOCK_TIMEOUT);
                        domain.write(scope.handle().orElseThrow(), "effect");
                        assertThat(transaction.succeed(record.key(), record.token(), Optional.empty()))
                                .isTrue();
                        throw thrown;
                    }))
                    .isSameAs(thrown);
            boolean marked = session.inTransaction((transaction, scope) ->
                    transaction.lock(record.key(), SHORT).isPresent()
                            && transaction.succeed(record.key(), record.token(), Optional.empty()));
            assertThat(marked).isTrue();
        }
        assertThat(found(record.key())).isInstanceOf(Succeeded.class);
        assertThat(domain.committed()).isEmpty();
    }

    @Test
    void claimToLeadOfATakenKeyFindsItsRecordAndLocksNothing() {
        for (IdempotencyRecord record : List.of(pending("k1"), succeeded("k2"), failed("k3"))) {
            plant(record);
            try (Session<C> session = store.open(key("session"))) {
                Optional<IdempotencyRecord> claim =
                        session.claimAndLock(pending(record.key().value()), DAY, SHORT, Durability.ASYNCHRONOUS);
                assertThat(claim)
                        .hasValueSatisfying(found -> assertThat(ageless(found)).isEqualTo(record));
                assertThat(AnotherThread.get(() -> locked(record.key(), Duration.ZERO)))
                        .isPresent();
            }
        }
    }

    @Test
    void claimToLeadThatNothingFollowsStandsAndLocksNothing() {
        Pending record = pending("k");
        try (Session<C> session = store.open(key("session"))) {
            assertThat(session.claimAndLock(record, DAY, SHORT, Durability.DURABLE))
                    .isEmpty();
        }
        assertThat(locked(record.key(), Duration.ZERO).map(ContractTest::ageless))
                .contains(record);
    }

    @Test
    void closingTwiceIsNoHarm() {
        Session<C> session = store.open(key("session"));
        session.autoCommit(transaction -> transaction.read(key("k")));
        session.close();
        session.close();

        Session<C> failed = store.open(key("session"));
        assertThatThrownBy(() -> failed.inTransaction((transaction, scope) -> {
                    throw new IllegalArgumentException("domain");
                }))
                .isInstanceOf(IllegalArgumentException.class);
        failed.close();
        failed.close();

        assertThat(read(key("k"))).isEmpty();
    }

    @Test
    void mappedStoreDoesAllOfItThroughAnotherHandle() {
        record View<C>(C handle) {}
        IdempotencyStore<View<C>> mapped = store.mapped(View::new);
        Pending record = pending("k");

        try (Session<View<C>> session = mapped.open(key("session"))) {
            Optional<IdempotencyRecord> claim = session.autoCommit(transaction -> claim(transaction, record));
            boolean marked = session.inTransaction((steps, scope) -> {
                boolean locked = steps.lock(record.key(), Duration.ZERO).isPresent();
                domain.write(scope.handle().handle(), "effect");
                steps.requireSameTransaction(record.key(), IllegalStateException::new);
                return locked && steps.succeed(record.key(), record.token(), Optional.empty());
            });
            boolean confirmed = session.autoCommit(transaction -> transaction.confirm(record.key(), record.token()));
            boolean ofAnother = session.autoCommit(transaction -> transaction.confirm(record.key(), UUID.randomUUID()));
            assertThat(confirmed).isTrue();
            assertThat(ofAnother).isFalse();
            assertThat(session.afterCommitFailure()).isEmpty();
            assertThat(claim).isEmpty();
            assertThat(marked).isTrue();
        }

        assertThat(found(record.key())).isInstanceOf(Succeeded.class);
        assertThat(domain.committed()).containsExactly("effect");
        assertThat(mapped.purgeExpired(1)).isZero();
        assertThat(mapped.classify(new IllegalStateException("domain"))).isEqualTo(Fault.UNRECOGNISED);
    }

    @Test
    void mappedStoreChangesWhatTheOtherOneWouldChange() {
        FaultyStore<C> counted = FaultyStore.around(store);
        IdempotencyStore<Optional<C>> mapped = counted.mapped(Optional::of);
        UUID fresh = UUID.randomUUID();
        for (boolean own : new boolean[] {true, false}) {
            Pending record = plant(pending("k-" + own));
            UUID token = own ? record.token() : UUID.randomUUID();
            try (Session<Optional<C>> session = mapped.open(key("session"))) {
                boolean replaced = session.autoCommit(steps -> steps.replaceToken(record.key(), token, fresh));
                assertThat(replaced).isEqualTo(own);
                UUID now = own ? fresh : token;
                boolean failed = session.autoCommit(steps -> steps.fail(record.key(), now, new Failure("code", "")));
                assertThat(failed).isEqualTo(own);
                Optional<IdempotencyRecord> read = session.autoCommit(steps -> steps.read(record.key()));
                assertThat(read.map(ContractTest::ageless)).contains(ageless(found(record.key())));
                Pending another = plant(pending("k2-" + own));
                UUID theirs = own ? another.token() : token;
                boolean released = session.autoCommit(steps -> steps.release(another.key(), theirs));
                assertThat(released).isEqualTo(own);
                boolean succeeded = session.autoCommit(steps -> steps.succeed(another.key(), theirs, Optional.empty()));
                assertThat(succeeded).isFalse();
            }
            assertThat(mapped.read(record.key()).map(ContractTest::ageless)).contains(ageless(found(record.key())));
        }
        assertThat(counted.openSessions()).isZero();
    }

    @Test
    void sessionForAKeyIsGivenAfterThePatienceAtTheLatest() {
        Pending record = pending("k");
        try (Session<C> first = store.openForClaim(record.key(), LONG)) {
            assertThat(first.probablyClaimed()).isFalse();
            Optional<IdempotencyRecord> claim = first.autoCommit(transaction -> claim(transaction, record));
            assertThat(claim).isEmpty();
            Optional<IdempotencyRecord> seen = AnotherThread.get(() -> {
                try (Session<Optional<C>> second =
                        store.mapped(Optional::of).openForClaim(record.key(), Duration.ofMillis(1))) {
                    return second.autoCommit(transaction -> transaction.read(record.key()));
                }
            });
            assertThat(seen.map(ContractTest::ageless)).contains(record);
        }
        try (Session<C> third = store.openForClaim(record.key(), LONG)) {
            assertThat(third.probablyClaimed()).isFalse();
        }
    }

    @Test
    void sessionInsideATransactionOfTheSameThreadIsRefused() {
        inTransaction(transaction -> {
            assertThatThrownBy(() -> store.open(key("k"))).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> store.mapped(Optional::of).open(key("k")))
                    .isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> store.openForClaim(key("k"), LONG)).isInstanceOf(IllegalStateException.class);
            assertThat(AnotherThread.get(() -> read(key("k")))).isEmpty();
            return true;
        });

        assertThat(read(key("k"))).isEmpty();
    }

    @Test
    void causesOfAFaultAreLookedAt() {
        Pending record = plant(pending("k"));
        inTransaction(transaction -> {
            transaction.lock(record.key(), Duration.ZERO);
            Throwable locked = AnotherThread.thrownBy(() -> locked(record.key(), Duration.ZERO));

            assertThat(store.classify(new IllegalStateException(new IOException(locked))))
                    .isEqualTo(Fault.LOCK_TIMEOUT);
            return true;
        });
        Exception endless = new IOException("one");
        endless.initCause(new IOException("two", endless));
        assertThat(store.classify(endless)).isEqualTo(Fault.UNRECOGNISED);
    }

    @Test
    void whatTheStoreDoesNotKnowProvesNothing() {
        for (Throwable thrown :
                List.of(new IllegalStateException("domain"), new IOException("remote"), new StackOverflowError())) {
            assertThat(store.classify(thrown)).isEqualTo(Fault.UNRECOGNISED);
        }
    }
}
