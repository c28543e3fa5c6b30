package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.LastStep;
import io.counterpoint.idempotency.spi.LastStep.Success;
import io.counterpoint.idempotency.spi.RecordSteps;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Steps on many records: each has the same effect as the step on one record. */
abstract class BatchStepContract<C> extends ContractTest<C> {

    BatchStepContract(Fixture<C> fixture) {
        super(fixture);
    }

    private static List<Pending> pendings(String... values) {
        return Stream.of(values)
                .map(value -> pending(key(value), Protocol.SINGLE_TRANSACTION, Optional.empty()))
                .sorted(Comparator.comparing(Pending::key))
                .toList();
    }

    private static List<IdempotencyKey> keys(List<? extends IdempotencyRecord> records) {
        return records.stream().map(IdempotencyRecord::key).toList();
    }

    private static Map<IdempotencyKey, IdempotencyRecord> claimAll(
            RecordSteps steps, List<? extends IdempotencyRecord> records) {
        return steps.claimAll(records, DAY, LONG);
    }

    @Test
    void claimsOfAbsentKeysLeadAndAreCommittedTogether() {
        List<Pending> records = pendings("a", "b", "c");

        Map<IdempotencyKey, IdempotencyRecord> found = inTransaction(steps -> claimAll(steps, records));

        assertThat(found).isEmpty();
        assertThat(records).allMatch(record -> ageless(found(record.key())).equals(record));
    }

    @Test
    void claimsOfKeysWithARecordReturnItAndChangeNothing() {
        plant(succeeded("b"));
        plant(failed("d"));
        Pending pending = plant(pending("e"));

        Map<IdempotencyKey, IdempotencyRecord> found =
                inTransaction(steps -> claimAll(steps, pendings("a", "b", "c", "d", "e")));

        assertThat(found).containsOnlyKeys(key("b"), key("d"), key("e"));
        assertThat(found)
                .allSatisfy((key, record) -> assertThat(ageless(record)).isEqualTo(ageless(found(key))));
        assertThat(found(key("e")).token()).isEqualTo(pending.token());
        assertThat(read(key("a"))).isPresent();
    }

    @Test
    void claimsOfRecordsInEveryStateAreStored() {
        List<IdempotencyRecord> records =
                List.of(failed("a"), pending("b", Optional.of(bytes("plan"))), pending("c"), succeeded("d"));

        assertThat(this.<Map<IdempotencyKey, IdempotencyRecord>>inTransaction(steps -> claimAll(steps, records)))
                .isEmpty();

        assertThat(records).allMatch(record -> ageless(found(record.key())).equals(record));
    }

    @Test
    void claimsThatAreRolledBackLeaveNothing() {
        RuntimeException rollback = new RuntimeException("roll back");

        assertThatThrownBy(() -> inTransaction(steps -> {
                    claimAll(steps, pendings("a", "b"));
                    throw rollback;
                }))
                .isSameAs(rollback);

        assertThat(read(key("a"))).isEmpty();
    }

    @Test
    void claimsWaitForAnUncommittedInsertUpToTheirBound() {
        inTransaction(steps -> {
            claim(steps, pending("b"));

            Throwable thrown = AnotherThread.thrownBy(
                    () -> inTransaction(other -> other.claimAll(pendings("a", "b", "c"), DAY, SHORT)));

            assertThat(faultOf(thrown)).isEqualTo(Fault.LOCK_TIMEOUT);
            return true;
        });

        assertThat(read(key("a"))).isEmpty();
    }

    @Test
    void manyClaimsAndMarksAreOneTransaction() {
        List<Pending> records =
                pendings(IntStream.range(0, 200).mapToObj(i -> "k" + i).toArray(String[]::new));

        inTransaction(steps -> {
            assertThat(claimAll(steps, records)).isEmpty();
            return steps.commitWith(new LastStep.SucceedAll(successes(records)));
        });

        Map<IdempotencyKey, IdempotencyRecord> read = autoCommit(steps -> steps.readAll(keys(records)));
        assertThat(read).hasSize(200);
        assertThat(records)
                .allSatisfy(record -> assertThat(read.get(record.key()))
                        .isEqualTo(new IdempotencyRecord.Succeeded(
                                record.key(),
                                record.protocol(),
                                record.token(),
                                record.fingerprint(),
                                Optional.of(bytes("result of " + record.key().value())))));
    }

    private static List<Success> successes(List<Pending> records) {
        return records.stream()
                .map(record -> new Success(
                        record.key(),
                        record.token(),
                        bytes("result of " + record.key().value())))
                .toList();
    }

    @Test
    void markOfAnotherTokenCommitsNothing() {
        List<Pending> records = pendings("a", "b", "c");
        List<Success> successes = new ArrayList<>(successes(records));
        successes.set(1, new Success(key("b"), UUID.randomUUID(), bytes("wrong")));

        LastStep.Result result = inTransaction(steps -> {
            claimAll(steps, records);
            return steps.commitWith(new LastStep.SucceedAll(successes));
        });

        assertThat(result).isEqualTo(LastStep.Result.NOT_MINE);

        assertThat(read(key("a"))).isEmpty();
    }

    @Test
    void markOfARecordThatIsNotThereCommitsNothing() {
        List<Pending> records = pendings("a", "b");

        LastStep.Result result = inTransaction(steps -> {
            claimAll(steps, records.subList(0, 1));
            return steps.commitWith(new LastStep.SucceedAll(successes(records)));
        });

        assertThat(result).isEqualTo(LastStep.Result.NOT_MINE);

        assertThat(read(key("a"))).isEmpty();
        assertThat(read(key("b"))).isEmpty();
    }

    @Test
    void readOfManyReturnsWhatIsThere() {
        plant(succeeded("a"));
        plant(pending("b"));

        assertThat(this.<Map<IdempotencyKey, IdempotencyRecord>>autoCommit(
                        steps -> steps.readAll(List.of(key("c"), key("b"), key("a")))))
                .containsOnlyKeys(key("a"), key("b"))
                .containsEntry(key("a"), found(key("a")));
    }

    /** Two callers that lock two keys in the same order may wait for each other but never deadlock. */
    @Test
    void overlappingClaimsInOneOrderEnd() {
        for (int round = 0; round < 5; round++) {
            int number = round;
            List<Future<Boolean>> callers = Stream.generate(() -> AnotherThread.begin(() -> {
                        Map<IdempotencyKey, IdempotencyRecord> unused = unlessItConflicts(() -> inTransaction(
                                steps -> claimAll(steps, pendings("x" + number, "y" + number, "z" + number))));
                        return true;
                    }))
                    .limit(4)
                    .toList();

            assertThat(callers.stream().map(AnotherThread::end)).containsOnly(true);
        }
    }
}
