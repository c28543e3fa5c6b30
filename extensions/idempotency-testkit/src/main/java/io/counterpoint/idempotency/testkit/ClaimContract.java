package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Failed;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import io.counterpoint.idempotency.spi.Session;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The claim: an atomic insert that waits only for another insert. */
abstract class ClaimContract<C> extends ContractTest<C> {

    ClaimContract(Fixture<C> fixture) {
        super(fixture);
    }

    @Test
    void claimOfAnAbsentKeyLeadsAndStoresTheRecordInEveryState() {
        for (IdempotencyRecord record :
                List.of(pending("p"), pending("planned", Optional.of(bytes("plan"))), succeeded("s"), failed("f"))) {
            assertThat(claim(record)).isEmpty();
            assertThat(read(record.key()).map(ContractTest::ageless)).contains(record);
        }
    }

    @Test
    void claimOfAKeyThatHasARecordFollowsAndChangesNothing() {
        for (IdempotencyRecord record : List.of(pending("k1"), succeeded("k2"), failed("k3"))) {
            plant(record);

            for (IdempotencyRecord late : List.of(
                    pending(record.key().value()),
                    succeeded(record.key().value()),
                    failed(record.key().value()))) {
                assertThat(claim(late))
                        .hasValueSatisfying(found -> assertThat(ageless(found)).isEqualTo(record));
            }
            assertThat(ageless(found(record.key()))).isEqualTo(record);
        }
    }

    @Test
    void claimInATransactionLeadsAndIsCommittedWithIt() {
        Pending record = pending("k");

        Optional<IdempotencyRecord> claim = inTransaction(transaction -> claim(transaction, record));

        assertThat(claim).isEmpty();
        assertThat(ageless(found(record.key()))).isEqualTo(record);
    }

    @Test
    void claimThatMayBeLostInACrashIsCommittedAllTheSame() {
        Pending record = pending("k");

        Optional<IdempotencyRecord> claim =
                autoCommit(transaction -> transaction.claim(record, DAY, LONG, Durability.ASYNCHRONOUS));

        assertThat(claim).isEmpty();
        assertThat(AnotherThread.get(() -> found(record.key())).token()).isEqualTo(record.token());
    }

    @Test
    void claimWaitsForAnUncommittedInsertAndGivesUpAfterItsBound() {
        inTransaction(transaction -> {
            claim(transaction, pending("k"));

            Throwable thrown = AnotherThread.thrownBy(
                    () -> autoCommit(other -> other.claim(pending("k"), DAY, SHORT, Durability.ASYNCHRONOUS)));

            assertThat(faultOf(thrown)).isEqualTo(Fault.LOCK_TIMEOUT);
            return true;
        });
    }

    @Test
    void claimInATransactionWaitsForAnInsertUpToItsBound() {
        inTransaction(transaction -> {
            claim(transaction, pending("k"));

            Throwable thrown = AnotherThread.thrownBy(
                    () -> inTransaction(other -> other.claim(pending("k"), DAY, SHORT, Durability.DURABLE)));

            assertThat(faultOf(thrown)).isEqualTo(Fault.LOCK_TIMEOUT);
            return true;
        });
    }

    @Test
    void claimFollowsWhenTheInsertItWaitedForIsCommitted() {
        Pending first = pending("k");
        Future<Optional<IdempotencyRecord>> second = whileUncommitted(first, true);

        assertThat(AnotherThread.end(second))
                .hasValueSatisfying(found -> assertThat(found.token()).isEqualTo(first.token()));
    }

    @Test
    void claimLeadsWhenTheInsertItWaitedForIsRolledBack() {
        Future<Optional<IdempotencyRecord>> second = whileUncommitted(pending("k"), false);

        assertThat(AnotherThread.end(second)).isEmpty();
        assertThat(read(key("k"))).isPresent();
    }

    @Test
    void claimToLeadFollowsWhenTheInsertItWaitedForIsCommitted() {
        Pending first = pending("k");
        Future<Optional<IdempotencyRecord>> second = whileUncommitted(first, true, () -> claimToLead(pending("k")));

        assertThat(AnotherThread.end(second))
                .hasValueSatisfying(found -> assertThat(found.token()).isEqualTo(first.token()));
    }

    @Test
    void claimToLeadLeadsWhenTheInsertItWaitedForIsRolledBack() {
        Future<Optional<IdempotencyRecord>> second =
                whileUncommitted(pending("k"), false, () -> claimToLead(pending("k")));

        assertThat(AnotherThread.end(second)).isEmpty();
        assertThat(read(key("k"))).isPresent();
    }

    private Optional<IdempotencyRecord> claimToLead(Pending record) {
        return unlessItConflicts(() -> {
            try (Session<C> session = store.open(record.key())) {
                return session.claimAndLock(record, DAY, LONG, Durability.DURABLE);
            }
        });
    }

    private Future<Optional<IdempotencyRecord>> whileUncommitted(IdempotencyRecord record, boolean commits) {
        return whileUncommitted(
                record, commits, () -> claim(pending(record.key().value())));
    }

    /** Starts another claim of the key in the middle of this one's transaction. */
    private Future<Optional<IdempotencyRecord>> whileUncommitted(
            IdempotencyRecord record, boolean commits, Callable<Optional<IdempotencyRecord>> claimed) {
        List<Future<Optional<IdempotencyRecord>>> others = new ArrayList<>();
        RuntimeException rollback = new RuntimeException("roll back");
        try {
            inTransaction(transaction -> {
                claim(transaction, record);
                Future<Optional<IdempotencyRecord>> other = AnotherThread.begin(claimed);
                others.add(other);
                assertThat(AnotherThread.waits(other)).isTrue();
                if (!commits) {
                    throw rollback;
                }
                return true;
            });
        } catch (RuntimeException thrown) {
            assertThat(thrown).isSameAs(rollback);
        }
        return others.get(0);
    }

    @Test
    void claimDoesNotWaitForAnUncommittedMark() {
        Pending record = plant(pending("k"));
        inTransaction(transaction -> {
            transaction.lock(record.key(), Duration.ZERO);
            transaction.succeed(record.key(), record.token(), Optional.of(bytes("done")));

            Optional<IdempotencyRecord> claim = AnotherThread.get(() ->
                    autoCommit(other -> other.claim(pending("k"), DAY, Duration.ofMillis(1), Durability.DURABLE)));

            assertThat(claim)
                    .hasValueSatisfying(found -> assertThat(ageless(found)).isEqualTo(record));
            return true;
        });
    }

    @Test
    void claimDoesNotWaitForTheRecordsLock() {
        for (IdempotencyRecord record : List.of(pending("k1"), succeeded("k2"), failed("k3"))) {
            plant(record);
            inTransaction(transaction -> {
                transaction.lock(record.key(), Duration.ZERO);

                Optional<IdempotencyRecord> claim = AnotherThread.get(() -> inTransaction(other ->
                        other.claim(pending(record.key().value()), DAY, Duration.ofMillis(1), Durability.DURABLE)));

                assertThat(claim).isPresent();
                return true;
            });
        }
    }

    @Test
    void claimOfAReleasedKeyLeads() {
        Pending record = plant(pending("k"));
        autoCommit(transaction -> transaction.release(record.key(), record.token()));
        Pending second = pending("k");

        assertThat(claim(second)).isEmpty();
        assertThat(found(record.key()).token()).isEqualTo(second.token());
    }

    @Test
    void claimReturnsTheAgeOfAPendingRecord() {
        Pending record = plant(pending("k"));
        Duration first = age(found(record.key()));

        Optional<IdempotencyRecord> claim = claim(pending("k"));

        assertThat(claim)
                .hasValueSatisfying(found ->
                        assertThat(age(found)).isGreaterThanOrEqualTo(first).isLessThan(Duration.ofMinutes(1)));
    }

    @Test
    void oneClaimOfManyAtOnceLeads() {
        CountDownLatch all = new CountDownLatch(8);
        List<Future<Optional<IdempotencyRecord>>> claims = Stream.generate(() -> AnotherThread.begin(() -> {
                    all.countDown();
                    AnotherThread.await(all);
                    return claim(pending("k"));
                }))
                .limit(8)
                .toList();

        List<Optional<IdempotencyRecord>> answers =
                claims.stream().map(AnotherThread::end).toList();

        assertThat(answers).filteredOn(Optional::isEmpty).hasSize(1);
        assertThat(answers)
                .filteredOn(Optional::isPresent)
                .extracting(found -> found.orElseThrow().token())
                .containsOnly(found(key("k")).token());
    }

    @Test
    void terminalClaimsAreReadAsTheyWereWritten() {
        Succeeded empty = new Succeeded(
                key("s"),
                IdempotencyRecord.Protocol.EXTERNAL,
                pending("x").token(),
                succeeded("s").fingerprint(),
                Optional.empty());
        Failed failed = failed("f");
        plant(empty);
        plant(failed);

        assertThat(found(empty.key())).isEqualTo(empty);
        assertThat(found(failed.key())).isEqualTo(failed);
    }
}
