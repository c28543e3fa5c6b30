package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.RecordedOperation;
import io.counterpoint.idempotency.memory.InMemoryDomainTable;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.testkit.faults.FaultyStore;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An operation whose record is a row of the domain, beside a store that fails. */
class RecordedInDoubtTest {

    private static final Attempt ATTEMPT = Attempt.in("user:1").key("k").request("r");

    private final ControllableClock clock = new ControllableClock();
    private final FaultyStore<Transaction> faulty = FaultyStore.around(new InMemoryIdempotencyStore());
    private final List<String> rows = new ArrayList<>();
    private final RecordedOperation<Transaction, String> operation = newOperation(3);
    private int runs;

    private RecordedOperation<Transaction, String> newOperation(int retries) {
        return Idempotency.builder(faulty)
                .clock(clock)
                .build()
                .<String>recorded(
                        "operate",
                        new InMemoryDomainTable(faulty),
                        (handle, key) -> rows.stream().findFirst())
                .retries(retries)
                .settleWithin(Duration.ofSeconds(5))
                .build();
    }

    private Outcome<String> call() {
        return call(operation);
    }

    private Outcome<String> call(RecordedOperation<Transaction, String> called) {
        return called.execute(ATTEMPT, Map.of(), handle -> {
            String row = "row " + ++runs;
            handle.onCommit(() -> rows.add(row));
            return row;
        });
    }

    private static void assertReason(Reason reason, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        IdempotencyException.class,
                        thrown -> assertThat(thrown.reason()).isSameAs(reason));
    }

    @Test
    void commitThatArrivedUnansweredIsAnsweredByItsRowAfterAWrite() {
        faulty.at(StoreCall.COMMIT).losesAnswer();

        assertThat(call()).isInstanceOf(Outcome.Replayed.class);

        assertThat(rows).containsExactly("row 1");
        assertThat(faulty.calls()).contains(StoreCall.LOCK, StoreCall.CONFIRM);
    }

    @Test
    void commitThatDidNotArriveRunsAgainAndReturnsTheResultOfThatRun() {
        faulty.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST);

        assertThat(call().orElseThrow()).isEqualTo("row 2");
        assertThat(rows).containsExactly("row 2");
    }

    /** Until the insert is answered, the first commit may be under way. */
    @Test
    void nothingIsAFailureWhileACommitMayBeUnderWay() {
        faulty.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST);
        faulty.second(StoreCall.CLAIM).always().fails(Fault.CONNECTION_LOST);

        assertReason(Reason.DOUBT_UNRESOLVED, () -> call(newOperation(0)));

        faulty.disarm();
        assertThat(call()).isInstanceOf(Outcome.Executed.class);
    }

    /** The process remembers that a call has ended in doubt: what it reads may be lost with the server. */
    @Test
    void rowOfACallThatEndedInDoubtIsConfirmedByTheNextCall() {
        faulty.at(StoreCall.COMMIT)
                .losesAnswer()
                .after(() -> faulty.at(StoreCall.OPEN).always().fails(Fault.CONNECTION_LOST));
        assertReason(Reason.DOUBT_UNRESOLVED, this::call);
        faulty.disarm();
        int before = faulty.calls().size();

        assertThat(call()).isInstanceOf(Outcome.Replayed.class);
        assertThat(call()).isInstanceOf(Outcome.Replayed.class);

        List<StoreCall> calls = faulty.calls().subList(before, faulty.calls().size());
        assertThat(calls).filteredOn(StoreCall.CONFIRM::equals).hasSize(1);
        assertThat(rows).containsExactly("row 1");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void whatPassesRunsAgainAndEndsAsNotStarted(int retries) {
        faulty.at(StoreCall.COMMIT).always().fails(Fault.CONFLICT);

        assertReason(Reason.RUNS_ROLLED_BACK, () -> call(newOperation(retries)));

        assertThat(runs).isEqualTo(retries + 1);
        assertThat(rows).isEmpty();
    }

    @Test
    void workThatThrowsIsUnknownWhereTheKeyCannotBeRead() {
        faulty.at(StoreCall.READ).always().fails(Fault.CONNECTION_LOST);

        assertReason(
                Reason.FAILURE_UNRECORDED,
                () -> operation.execute(ATTEMPT, Map.of(), handle -> {
                    throw new IllegalStateException("own");
                }));
        assertThat(rows).isEmpty();
    }

    /** Such as a rollback that the server makes late: the insert of another call was faster. */
    @Test
    void rowOfAnotherCallIsTheAnswerToWorkThatThrows() {
        IllegalStateException own = new IllegalStateException("own");
        Outcome<String> outcome = operation.execute(ATTEMPT, Map.of(), handle -> {
            faulty.at(StoreCall.READ).before(() -> assertThat(otherThread()).isInstanceOf(Outcome.Executed.class));
            throw own;
        });

        assertThat(outcome).isInstanceOf(Outcome.Replayed.class);
        assertThat(outcome.ownFailure()).containsSame(own);
        assertThat(rows).hasSize(1);
    }

    private Outcome<String> otherThread() {
        List<Outcome<String>> answers = new ArrayList<>();
        Thread other = new Thread(() -> answers.add(call()));
        other.start();
        try {
            other.join();
        } catch (InterruptedException thrown) {
            throw new IllegalStateException(thrown);
        }
        return answers.get(0);
    }

    @Test
    void keyIsReadFirstWhereItWasMetBefore() {
        Outcome<String> first = call();
        int before = faulty.calls().size();

        assertThat(call()).isEqualTo(new Outcome.Replayed<>(first.key(), first.orElseThrow()));

        assertThat(faulty.calls().subList(before, faulty.calls().size())).doesNotContain(StoreCall.CLAIM);
        assertThat(operation.keyOf(ATTEMPT)).isEqualTo(first.key());
        assertThat(operation).asString().contains("record in the domain's row");
        assertThat(Optional.of(operation.keyOf(ATTEMPT).uuid().version())).contains(8);
    }
}
