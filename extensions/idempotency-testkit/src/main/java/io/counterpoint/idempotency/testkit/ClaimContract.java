package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.spi.Claim;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Failed;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import io.counterpoint.idempotency.spi.IdempotencyStore.Fault;
import io.counterpoint.idempotency.spi.StoreTransaction.Durability;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The claim: an atomic insert, that waits for another insert and for nothing else. */
abstract class ClaimContract<C> extends ContractPart<C> {

    ClaimContract(IdempotencyStoreContract<C> contract) {
        super(contract);
    }

    @Test
    void claimOfAnAbsentKeyLeadsAndStoresTheRecordInEveryState() {
        for (IdempotencyRecord record :
                List.of(pending("p"), pending("planned", Optional.of(bytes("plan"))), succeeded("s"), failed("f"))) {
            assertThat(claim(record)).isEqualTo(new Claim.Leads());
            assertThat(read(record.key()).map(ContractPart::ageless)).contains(record);
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
                        .isInstanceOfSatisfying(
                                Claim.Follows.class,
                                follows -> assertThat(ageless(follows.record())).isEqualTo(record));
            }
            assertThat(ageless(found(record.key()))).isEqualTo(record);
        }
    }

    @Test
    void claimInATransactionLeadsAndIsCommittedWithIt() {
        Pending record = pending("k");

        Claim claim = inTransaction(transaction -> claim(transaction, record));

        assertThat(claim).isEqualTo(new Claim.Leads());
        assertThat(ageless(found(record.key()))).isEqualTo(record);
    }

    @Test
    void claimThatMayBeLostInACrashIsCommittedAllTheSame() {
        Pending record = pending("k");

        Claim claim = alone(transaction -> transaction.claim(record, DAY, LONG, Durability.LOST_WITH_WHAT_FOLLOWS));

        assertThat(claim).isEqualTo(new Claim.Leads());
        assertThat(AnotherThread.get(() -> found(record.key())).token()).isEqualTo(record.token());
    }

    @Test
    void claimWaitsForAnUncommittedInsertAndGivesUpAfterItsBound() {
        inTransaction(transaction -> {
            claim(transaction, pending("k"));

            Throwable thrown = AnotherThread.thrownBy(
                    () -> alone(other -> other.claim(pending("k"), DAY, SHORT, Durability.LOST_WITH_WHAT_FOLLOWS)));

            assertThat(faultOf(thrown)).isEqualTo(Fault.LOCKED);
            return true;
        });
    }

    @Test
    void claimInATransactionWaitsForAnUncommittedInsertAndGivesUpAfterItsBound() {
        inTransaction(transaction -> {
            claim(transaction, pending("k"));

            Throwable thrown = AnotherThread.thrownBy(
                    () -> inTransaction(other -> other.claim(pending("k"), DAY, SHORT, Durability.DURABLE)));

            assertThat(faultOf(thrown)).isEqualTo(Fault.LOCKED);
            return true;
        });
    }

    @Test
    void claimFollowsWhenTheInsertItWaitedForIsCommitted() {
        Pending first = pending("k");
        Future<Claim> second = whileUncommitted(first, true);

        assertThat(AnotherThread.end(second))
                .isInstanceOfSatisfying(
                        Claim.Follows.class,
                        follows -> assertThat(follows.record().token()).isEqualTo(first.token()));
    }

    @Test
    void claimLeadsWhenTheInsertItWaitedForIsRolledBack() {
        Future<Claim> second = whileUncommitted(pending("k"), false);

        assertThat(AnotherThread.end(second)).isEqualTo(new Claim.Leads());
        assertThat(read(key("k"))).isPresent();
    }

    /** Begins another claim of the key in the middle of this one's transaction. */
    private Future<Claim> whileUncommitted(IdempotencyRecord record, boolean commits) {
        List<Future<Claim>> others = new ArrayList<>();
        RuntimeException rollback = new RuntimeException("roll back");
        try {
            inTransaction(transaction -> {
                claim(transaction, record);
                Future<Claim> other =
                        AnotherThread.begin(() -> claim(pending(record.key().value())));
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

            Claim claim = AnotherThread.get(
                    () -> alone(other -> other.claim(pending("k"), DAY, Duration.ofMillis(1), Durability.DURABLE)));

            assertThat(claim)
                    .isInstanceOfSatisfying(
                            Claim.Follows.class,
                            follows -> assertThat(ageless(follows.record())).isEqualTo(record));
            return true;
        });
    }

    @Test
    void claimDoesNotWaitForTheRecordsLock() {
        for (IdempotencyRecord record : List.of(pending("k1"), succeeded("k2"), failed("k3"))) {
            plant(record);
            inTransaction(transaction -> {
                transaction.lock(record.key(), Duration.ZERO);

                Claim claim = AnotherThread.get(() -> inTransaction(other ->
                        other.claim(pending(record.key().value()), DAY, Duration.ofMillis(1), Durability.DURABLE)));

                assertThat(claim).isInstanceOf(Claim.Follows.class);
                return true;
            });
        }
    }

    @Test
    void claimOfAReleasedKeyLeads() {
        Pending record = plant(pending("k"));
        alone(transaction -> transaction.release(record.key(), record.token()));
        Pending second = pending("k");

        assertThat(claim(second)).isEqualTo(new Claim.Leads());
        assertThat(found(record.key()).token()).isEqualTo(second.token());
    }

    @Test
    void claimTellsTheAgeOfAPendingRecord() {
        Pending record = plant(pending("k"));
        Duration first = age(found(record.key()));

        Claim claim = claim(pending("k"));

        assertThat(claim)
                .isInstanceOfSatisfying(
                        Claim.Follows.class,
                        follows -> assertThat(age(follows.record()))
                                .isGreaterThanOrEqualTo(first)
                                .isLessThan(Duration.ofMinutes(1)));
    }

    @Test
    void oneClaimOfManyAtOnceLeads() {
        CountDownLatch all = new CountDownLatch(8);
        List<Future<Claim>> claims = Stream.generate(() -> AnotherThread.begin(() -> {
                    all.countDown();
                    AnotherThread.await(all);
                    return claim(pending("k"));
                }))
                .limit(8)
                .toList();

        List<Claim> answers = claims.stream().map(AnotherThread::end).toList();

        assertThat(answers).filteredOn(claim -> claim instanceof Claim.Leads).hasSize(1);
        assertThat(answers)
                .filteredOn(claim -> claim instanceof Claim.Follows)
                .extracting(claim -> ((Claim.Follows) claim).record().token())
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
