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
import io.counterpoint.idempotency.testkit.faults.FaultyStore;
import io.counterpoint.idempotency.testkit.faults.InjectedFault;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
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
        assertThat(faulty.calls()).containsExactly(StoreCall.OPEN, StoreCall.CLAIM, StoreCall.OPEN, StoreCall.CLAIM);
    }

    @Test
    void stepThatFailsIsNotDone() {
        for (Fault fault : Fault.values()) {
            faulty.at(StoreCall.CLAIM).fails(fault);

            Throwable thrown = catchThrowable(() -> claim("k"));

            assertThat(faulty.classify(thrown)).isEqualTo(fault);
            assertThat(faulty.classify(new IllegalStateException(thrown))).isEqualTo(fault);
            assertThat(stored("k")).isEmpty();
        }
        assertThat(faulty.classify(new IllegalStateException())).isEqualTo(Fault.UNRECOGNISED);
    }

    @Test
    void stepAloneWhoseAnswerIsLostIsDone() {
        faulty.at(StoreCall.CLAIM).losesAnswer();

        assertThat(faulty.classify(catchThrowable(() -> claim("k")))).isEqualTo(Fault.CONNECTION_LOST);

        assertThat(stored("k")).isPresent();
    }

    @Test
    void stepWhoseAnswerIsLostTakesItsTransactionWithIt() {
        faulty.at(StoreCall.CLAIM).losesAnswer();
        List<Throwable> swallowed = new ArrayList<>();

        assertThatThrownBy(() -> inTransaction(faulty, transaction -> {
                    ContractTest.claim(transaction, ContractTest.pending("before"));
                    return true;
                }))
                .isInstanceOf(InjectedFault.class);
        faulty.at(StoreCall.CLAIM).losesAnswer();
        assertThatThrownBy(() -> inTransaction(faulty, transaction -> {
                    swallowed.add(
                            catchThrowable(() -> ContractTest.claim(transaction, ContractTest.pending("swallowed"))));
                    swallowed.add(catchThrowable(() -> transaction.read(ContractTest.key("swallowed"))));
                    return true;
                }))
                .isInstanceOf(InjectedFault.class);

        assertThat(swallowed).hasSize(2).allMatch(thrown -> thrown instanceof InjectedFault);
        assertThat(stored("before")).isEmpty();
        assertThat(stored("swallowed")).isEmpty();
    }

    @Test
    void commitIsDoneOrNotAsAskedFor() {
        faulty.at(StoreCall.COMMIT).losesAnswer();
        faulty.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST);
        for (String value : List.of("committed", "rolled-back")) {
            assertThatThrownBy(() -> inTransaction(
                            faulty, transaction -> ContractTest.claim(transaction, ContractTest.pending(value))))
                    .isInstanceOf(InjectedFault.class);
        }

        assertThat(stored("committed")).isPresent();
        assertThat(stored("rolled-back")).isEmpty();
    }

    @Test
    void pointsOfAKindStandInAQueue() {
        faulty.second(StoreCall.CLAIM).fails(Fault.CONNECTION_LOST);

        assertThat(claim("first")).isEmpty();
        assertThatThrownBy(() -> claim("second")).isInstanceOf(InjectedFault.class);
        assertThat(claim("third")).isEmpty();
    }

    @Test
    void callIsArmedByItsNumber() {
        claim("before");
        faulty.atCall(3).fails(Fault.CONNECTION_LOST);

        assertThat(claim("first")).isEmpty();
        assertThatThrownBy(() -> claim("second")).isInstanceOf(InjectedFault.class);
        assertThat(claim("third")).isEmpty();
    }

    @Test
    void pointForEverLastsUntilItIsDisarmed() {
        faulty.at(StoreCall.OPEN).always().fails(Fault.CONNECTION_LOST);
        assertThatThrownBy(() -> claim("k")).isInstanceOf(InjectedFault.class);
        assertThatThrownBy(() -> claim("k")).isInstanceOf(InjectedFault.class);

        faulty.disarm();

        assertThat(claim("k")).isEmpty();
        assertThat(faulty.openSessions()).isZero();
    }

    @Test
    void hooksRunBeforeAndAfterTheCall() {
        List<Boolean> there = new ArrayList<>();
        faulty.at(StoreCall.CLAIM)
                .before(() -> there.add(stored("k").isPresent()))
                .after(() -> there.add(stored("k").isPresent()));

        claim("k");

        assertThat(there).containsExactly(false, true);
    }

    @Test
    void compareAndSetCanBeMadeToChangeNothing() {
        IdempotencyRecord record = ContractTest.pending("k");
        alone(faulty, transaction -> ContractTest.claim(transaction, record));
        faulty.at(StoreCall.SUCCEED).changesNothing();

        boolean changed = FaultyStoreTest.<Boolean>alone(
                faulty, transaction -> transaction.succeed(record.key(), record.token(), Optional.empty()));

        assertThat(changed).isFalse();
        assertThat(stored("k").map(ContractTest::ageless)).contains(record);
    }
}
