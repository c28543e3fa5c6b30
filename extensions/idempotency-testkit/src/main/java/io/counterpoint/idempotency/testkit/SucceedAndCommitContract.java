package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import io.counterpoint.idempotency.spi.LastStep;
import io.counterpoint.idempotency.spi.Session;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The mark that commits with its transaction or prevents the commit. */
abstract class SucceedAndCommitContract<C> extends ContractTest<C> {

    SucceedAndCommitContract(Fixture<C> fixture) {
        super(fixture);
    }

    @Test
    void lastMarkCommitsWithItsTransaction() {
        Pending record = plant(pending("k"));
        try (Session<Optional<C>> session = store.mapped(Optional::of).open(key("k"))) {
            session.inTransaction((transaction, scope) -> {
                transaction.lock(record.key(), Duration.ZERO);
                domain.write(scope.handle().orElseThrow(), "effect");
                AnotherThread.run(() -> assertThat(domain.committed()).isEmpty());
                assertThat(transaction.commitWith(
                                new LastStep.Succeed(record.key(), record.token(), Optional.of(bytes("done")))))
                        .isEqualTo(LastStep.Result.DONE);
                AnotherThread.run(() -> assertThat(domain.committed()).containsExactly("effect"));
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
            return transaction.commitWith(new LastStep.Succeed(record.key(), record.token(), Optional.empty()));
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
            return transaction.commitWith(
                    new LastStep.Succeed(record.key(), record.token(), Optional.of(bytes("done"))));
        });
        assertThat(found(record.key())).isInstanceOf(Succeeded.class);
        assertThat(domain.committed()).containsExactly("effect");
    }

    /** A mark that encounters another token, another state or no record; with and without the lock. */
    @Test
    void lastMarkThatChangesNothingLetsNothingBeCommitted() {
        Pending theirs = plant(pending("theirs"));
        List<IdempotencyRecord> unchanged =
                List.of(theirs, plant(succeeded("succeeded")), plant(failed("failed")), pending("absent"));
        for (IdempotencyRecord record : unchanged) {
            for (boolean locks : new boolean[] {true, false}) {
                UUID token = record == theirs ? UUID.randomUUID() : record.token();
                LastStep.Result result = inTransaction((transaction, scope) -> {
                    claim(transaction, pending("another"));
                    if (locks) {
                        transaction.lock(record.key(), Duration.ZERO);
                    }
                    domain.write(scope.handle(), "effect");
                    return transaction.commitWith(new LastStep.Succeed(record.key(), token, Optional.empty()));
                });
                assertThat(result).isNotEqualTo(LastStep.Result.DONE);
                assertThat(read(key("another"))).isEmpty();
                assertThat(domain.committed()).isEmpty();
            }
            if (!record.key().equals(key("absent"))) {
                assertThat(ageless(found(record.key()))).isEqualTo(record);
            }
        }
    }

    /** No matter what the body does afterwards: no step may follow. */
    @Test
    void exceptionAfterTheLastMarkChangesNothingOfTheCommit() {
        Pending record = plant(pending("k"));
        IllegalArgumentException thrown = new IllegalArgumentException("domain");
        assertThatThrownBy(() -> inTransaction(transaction -> {
                    transaction.lock(record.key(), Duration.ZERO);
                    LastStep.Result unused = transaction.commitWith(
                            new LastStep.Succeed(record.key(), record.token(), Optional.empty()));
                    throw thrown;
                }))
                .isSameAs(thrown);
        assertThat(found(record.key())).isInstanceOf(Succeeded.class);
    }
}
