package io.counterpoint.idempotency.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.MisuseException;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.ForwardingRecordSteps;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A server that has not noticed that a connection is gone, and so keeps the turn for it. */
class TurnOfALostConnectionTest {

    private final StandingClock clock = new StandingClock();
    private final InMemoryIdempotencyStore memory = new InMemoryIdempotencyStore(clock);
    private final List<RuntimeException> answers = new ArrayList<>();
    private boolean taken;
    private boolean losesReads;
    private StoreException rollback;
    private int asked;
    private int runs;

    private final FaultyMemory store = new FaultyMemory(memory) {
        @Override
        RecordSteps steps(RecordSteps real) {
            return new Turns(real);
        }
    };

    private final class Turns extends ForwardingRecordSteps {
        Turns(RecordSteps real) {
            super(real);
        }

        @Override
        public boolean takeTurn(IdempotencyKey key) {
            asked++;
            if (!answers.isEmpty()) {
                throw answers.remove(0);
            }
            boolean free = !taken;
            taken = true;
            return free;
        }

        @Override
        public Optional<IdempotencyRecord> readWithoutTurn(IdempotencyKey key) {
            if (losesReads) {
                losesReads = false;
                throw new StoreException("the read", Fault.CONNECTION_LOST, null);
            }
            return super.readWithoutTurn(key);
        }
    }

    private Outcome<String> call(Fault... losses) {
        Operation<Transaction, String> operation = Idempotency.builder(store)
                .clock(clock)
                .build()
                .operation("operation", ResultCodec.string())
                .protocol(Operation.Protocol.RECORD_LAST)
                .maxRetries(2)
                .build();
        return operation.execute(Attempt.inScope("user:1").key("k").request("request"), transaction -> {
            if (runs++ < losses.length) {
                StoreException thrown = new StoreException("the work's statement", losses[runs - 1], null);
                if (rollback != null) {
                    thrown.addSuppressed(rollback);
                }
                throw thrown;
            }
            return "result";
        });
    }

    @Test
    void callWhoseConnectionIsLostWorksAgainWithoutATurn() {
        assertThat(call(Fault.CONNECTION_LOST)).isInstanceOf(Outcome.Executed.class);

        assertThat(asked).isOne();
        assertThat(runs).isEqualTo(2);
    }

    @Test
    void callWhoseTurnWasNotAnsweredWorksWithoutOne() {
        taken = true;
        answers.add(new StoreException("the turn", Fault.CONNECTION_LOST, null));

        assertThat(call()).isInstanceOf(Outcome.Executed.class);

        assertThat(asked).isOne();
    }

    /** As where the work's exception is of its own, and ROLLBACK gets no answer. */
    @Test
    void callWhoseRollbackWasNotAnsweredWorksAgainWithoutATurn() {
        rollback = new StoreException("the rollback", Fault.CONNECTION_LOST, null);

        assertThat(call(Fault.CONFLICT)).isInstanceOf(Outcome.Executed.class);

        assertThat(asked).isOne();
        assertThat(runs).isEqualTo(2);
    }

    @Test
    void callThatGotNoTurnAsksAgainAlsoOnAnotherConnection() {
        taken = true;
        losesReads = true;

        assertThat(call()).isInstanceOf(Outcome.InProgress.class);

        assertThat(asked).isGreaterThan(1);
        assertThat(runs).isZero();
    }

    @Test
    void misuseOfTheTurnIsNoOutage() {
        MisuseException misuse = new MisuseException("no turns");
        answers.add(misuse);

        assertThatThrownBy(this::call).isSameAs(misuse);
    }

    /** The rollback has given the turn back, and another may have taken it. */
    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"CONFLICT", "LOCK_TIMEOUT"})
    void callThatIsRolledBackAsksAgain(Fault fault) {
        assertThat(call(fault)).isInstanceOf(Outcome.InProgress.class);

        assertThat(asked).isGreaterThan(1);
        assertThat(runs).isOne();
    }

    @Test
    void turnThatIsRefusedIsNoFailureOfTheAttempt() {
        answers.add(new StoreException("the turn", Fault.STATEMENT_REFUSED, null));

        assertThatThrownBy(this::call).isInstanceOf(NotStartedException.class);

        assertThat(runs).isZero();
        assertThat(call()).isInstanceOf(Outcome.Executed.class);
    }
}
