package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import io.counterpoint.idempotency.spi.LastStep;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** An insert as the last step: either the record and everything before it are committed, or nothing is. */
abstract class InsertAndCommitContract<C> extends ContractTest<C> {

    InsertAndCommitContract(Fixture<C> fixture) {
        super(fixture);
    }

    @Test
    void insertIsCommittedWithAllThatCameBefore() {
        Succeeded record = succeeded("k");

        inTransaction((steps, scope) -> {
            steps.beginUnclaimed(key("k"));
            domain.write(scope.handle(), "effect");
            return steps.commitWith(new LastStep.Insert(record, DAY, LONG));
        });

        assertThat(isThere("effect")).isTrue();
        assertThat(found(key("k"))).isEqualTo(record);
    }

    @Test
    void insertOfARecordThatIsThereIsRefusedWithAllThatCameBefore() {
        Succeeded there = plant(succeeded("k"));
        Succeeded second = new Succeeded(
                key("k"),
                Protocol.SINGLE_TRANSACTION,
                UUID.randomUUID(),
                Fingerprint.ofParts("request"),
                Optional.empty());

        Throwable thrown = catchThrowable(() -> inTransaction((steps, scope) -> {
            steps.beginUnclaimed(key("k"));
            domain.write(scope.handle(), "effect");
            return steps.commitWith(new LastStep.Insert(second, DAY, LONG));
        }));

        assertThat(faultOf(thrown)).isNotNull().matches(Fault::provesRollback);
        assertThat(isThere("effect")).isFalse();
        assertThat(found(key("k"))).isEqualTo(there);
    }

    @Test
    void insertWaitsForOneThatIsNotCommittedYet() {
        inTransaction((steps, scope) -> {
            assertThat(claim(steps, succeeded("k"))).isEmpty();
            Throwable thrown = AnotherThread.get(() -> catchThrowable(() -> inTransaction(own -> {
                own.beginUnclaimed(key("k"));
                return own.commitWith(new LastStep.Insert(succeeded("k"), DAY, SHORT));
            })));
            assertThat(faultOf(thrown)).isEqualTo(Fault.LOCK_TIMEOUT);
            return "returned";
        });

        assertThat(read(key("k"))).isPresent();
    }

    @Test
    void insertsOfManyAreCommittedTogetherWithAllThatCameBefore() {
        List<IdempotencyRecord> records = Stream.of("a", "b", "c")
                .<IdempotencyRecord>map(ContractTest::succeeded)
                .toList();

        inTransaction((steps, scope) -> {
            steps.beginUnclaimed(key("b"));
            domain.write(scope.handle(), "effect");
            return steps.commitWith(new LastStep.InsertAll(records, DAY, LONG));
        });

        assertThat(isThere("effect")).isTrue();
        assertThat(records).allSatisfy(record -> assertThat(found(record.key())).isEqualTo(record));
    }

    /** If one exists, none of the others is inserted, regardless of its position. */
    @Test
    void insertsOfRecordsOfWhichOneIsThereAreRefusedWithAllThatCameBefore() {
        for (String there : List.of("a", "b", "c")) {
            Succeeded planted = plant(succeeded(there + there));
            List<IdempotencyRecord> records = Stream.of("a", "b", "c")
                    .<IdempotencyRecord>map(value -> succeeded(there + value))
                    .toList();

            Throwable thrown = catchThrowable(() -> inTransaction((steps, scope) -> {
                steps.beginUnclaimed(records.get(0).key());
                domain.write(scope.handle(), "effect");
                return steps.commitWith(new LastStep.InsertAll(records, DAY, LONG));
            }));

            assertThat(faultOf(thrown)).isNotNull().matches(Fault::provesRollback);
            assertThat(isThere("effect")).isFalse();
            assertThat(records.stream()
                            .map(IdempotencyRecord::key)
                            .filter(key -> read(key).isPresent()))
                    .containsExactly(planted.key());
            assertThat(found(planted.key())).isEqualTo(planted);
        }
    }

    @Test
    void insertsOfManyWaitForOneThatIsNotCommittedYet() {
        inTransaction((steps, scope) -> {
            assertThat(claim(steps, succeeded("b"))).isEmpty();
            Throwable thrown = AnotherThread.get(() -> catchThrowable(() -> inTransaction(own -> {
                own.beginUnclaimed(key("a"));
                return own.commitWith(new LastStep.InsertAll(List.of(succeeded("a"), succeeded("b")), DAY, SHORT));
            })));
            assertThat(faultOf(thrown)).isEqualTo(Fault.LOCK_TIMEOUT);
            return "returned";
        });

        assertThat(read(key("a"))).isEmpty();
        assertThat(read(key("b"))).isPresent();
    }
}
