package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.testkit.FaultyStore.Injected;
import io.counterpoint.idempotency.testkit.FaultyStore.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** The faults that were asked for happen, and no others. */
class FaultyStoreTest {

    private final IdempotencyStore<Transaction> right = new InMemoryIdempotencyStore();
    private final FaultyStore<Transaction> faulty = FaultyStore.around(right);

    private static <T> T alone(IdempotencyStore<Transaction> store, Function<? super RecordSteps, ? extends T> step) {
        try (Session<Transaction> session = store.open(ContractTest.key("k"))) {
            return session.autoCommit(step);
        }
    }

    private static <T> T inTransaction(
            IdempotencyStore<Transaction> store, Function<? super RecordSteps, ? extends T> body) {
        try (Session<Transaction> session = store.open(ContractTest.key("k"))) {
            return session.inTransaction((steps, unused) -> body.apply(steps));
        }
    }

    private Optional<IdempotencyRecord> claim(String value) {
        return alone(faulty, transaction -> ContractTest.claim(transaction, ContractTest.pending(value)));
    }

    private Optional<IdempotencyRecord> stored(String value) {
        return alone(right, transaction -> transaction.read(ContractTest.key(value)));
    }

    @Test
    void unarmedStoreDoesWhatTheOtherOneDoes() {
        assertThat(claim("k")).isEmpty();
        assertThat(claim("k")).isPresent();
        assertThat(faulty.calls()).containsExactly(Step.OPEN, Step.CLAIM, Step.OPEN, Step.CLAIM);
    }

    @Test
    void stepThatFailsIsNotDone() {
        for (Fault fault : Fault.values()) {
            faulty.at(Step.CLAIM).fails(fault);

            Throwable thrown = catchThrowable(() -> claim("k"));

            assertThat(faulty.classify(thrown)).isEqualTo(fault);
            assertThat(faulty.classify(new IllegalStateException(thrown))).isEqualTo(fault);
            assertThat(stored("k")).isEmpty();
        }
        assertThat(faulty.classify(new IllegalStateException())).isEqualTo(Fault.UNRECOGNISED);
    }

    @Test
    void stepAloneWhoseAnswerIsLostIsDone() {
        faulty.at(Step.CLAIM).losesAnswer();

        assertThat(faulty.classify(catchThrowable(() -> claim("k")))).isEqualTo(Fault.CONNECTION_LOST);

        assertThat(stored("k")).isPresent();
    }

    @Test
    void stepWhoseAnswerIsLostTakesItsTransactionWithIt() {
        faulty.at(Step.CLAIM).losesAnswer();
        List<Throwable> swallowed = new ArrayList<>();

        assertThatThrownBy(() -> inTransaction(faulty, transaction -> {
                    ContractTest.claim(transaction, ContractTest.pending("before"));
                    return true;
                }))
                .isInstanceOf(Injected.class);
        faulty.at(Step.CLAIM).losesAnswer();
        assertThatThrownBy(() -> inTransaction(faulty, transaction -> {
                    swallowed.add(
                            catchThrowable(() -> ContractTest.claim(transaction, ContractTest.pending("swallowed"))));
                    swallowed.add(catchThrowable(() -> transaction.read(ContractTest.key("swallowed"))));
                    return true;
                }))
                .isInstanceOf(Injected.class);

        assertThat(swallowed).hasSize(2).allMatch(thrown -> thrown instanceof Injected);
        assertThat(stored("before")).isEmpty();
        assertThat(stored("swallowed")).isEmpty();
    }

    @Test
    void commitIsDoneOrNotAsAskedFor() {
        faulty.at(Step.COMMIT).losesAnswer();
        faulty.at(Step.COMMIT).fails(Fault.CONNECTION_LOST);
        for (String value : List.of("committed", "rolled-back")) {
            assertThatThrownBy(() -> inTransaction(
                            faulty, transaction -> ContractTest.claim(transaction, ContractTest.pending(value))))
                    .isInstanceOf(Injected.class);
        }

        assertThat(stored("committed")).isPresent();
        assertThat(stored("rolled-back")).isEmpty();
    }

    @Test
    void pointsOfAKindStandInAQueue() {
        faulty.at(Step.CLAIM);
        faulty.at(Step.CLAIM).fails(Fault.CONNECTION_LOST);

        assertThat(claim("first")).isEmpty();
        assertThatThrownBy(() -> claim("second")).isInstanceOf(Injected.class);
        assertThat(claim("third")).isEmpty();
    }

    @Test
    void callIsArmedByItsNumber() {
        claim("before");
        faulty.atCall(3).fails(Fault.CONNECTION_LOST);

        assertThat(claim("first")).isEmpty();
        assertThatThrownBy(() -> claim("second")).isInstanceOf(Injected.class);
        assertThat(claim("third")).isEmpty();
    }

    @Test
    void pointForEverLastsUntilItIsDisarmed() {
        faulty.at(Step.OPEN).always().fails(Fault.CONNECTION_LOST);
        assertThatThrownBy(() -> claim("k")).isInstanceOf(Injected.class);
        assertThatThrownBy(() -> claim("k")).isInstanceOf(Injected.class);

        faulty.disarm();

        assertThat(claim("k")).isEmpty();
        assertThat(faulty.openSessions()).isZero();
    }

    @Test
    void hooksRunBeforeAndAfterTheCall() {
        List<Boolean> there = new ArrayList<>();
        faulty.at(Step.CLAIM)
                .before(() -> there.add(stored("k").isPresent()))
                .after(() -> there.add(stored("k").isPresent()));

        claim("k");

        assertThat(there).containsExactly(false, true);
    }

    @Test
    void compareAndSetCanBeMadeToChangeNothing() {
        IdempotencyRecord record = ContractTest.pending("k");
        alone(faulty, transaction -> ContractTest.claim(transaction, record));
        faulty.at(Step.SUCCEED).changesNothing();

        boolean changed = FaultyStoreTest.<Boolean>alone(
                faulty, transaction -> transaction.succeed(record.key(), record.token(), Optional.empty()));

        assertThat(changed).isFalse();
        assertThat(stored("k").map(ContractTest::ageless)).contains(record);
    }
}
