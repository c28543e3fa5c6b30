package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import io.counterpoint.idempotency.spi.Session;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Sessions: one transaction after the other, a committed claim before the transaction that locks, and a safe end. */
abstract class SessionContract<C> extends ContractTest<C> {

    SessionContract(Fixture<C> fixture) {
        super(fixture);
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

    /** Neither for its lock nor for its mark, because its work may take long. */
    @Test
    void claimToLeadDoesNotWaitForALeaderAtWork() {
        Pending record = plant(pending("k"));
        inTransaction(leader -> {
            assertThat(leader.lock(record.key(), Duration.ZERO)).isPresent();
            leader.succeed(record.key(), record.token(), Optional.of(bytes("done")));

            Optional<IdempotencyRecord> claim = AnotherThread.get(() -> {
                try (Session<C> session = store.open(key("session"))) {
                    return session.claimAndLock(pending("k"), DAY, SHORT, Durability.ASYNCHRONOUS);
                }
            });

            assertThat(claim)
                    .hasValueSatisfying(found -> assertThat(ageless(found)).isEqualTo(record));
            return true;
        });
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
}
