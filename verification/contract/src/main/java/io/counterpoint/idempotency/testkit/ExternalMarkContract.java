package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The mark of an external effect: the result is returned even if it fails, and a later call makes it. */
abstract class ExternalMarkContract<C> extends OperationContractTest<C> {

    ExternalMarkContract(OperationFixture<C> fixture) {
        super(fixture);
    }

    @Test
    void resultIsReturnedThoughTheMarkFailsAndTheNextCallHeals() throws Exception {
        for (Fault fault :
                List.of(Fault.CONNECTION_LOST, Fault.STATEMENT_REFUSED, Fault.CONFLICT, Fault.UNRECOGNISED)) {
            TestOperation<C> caller = caller().build();
            String value = fault.name();
            faulty.at(StoreCall.SUCCEED).always().fails(fault);

            assertThat(caller.call(attempt(value), value)).isEqualTo(new Outcome.Executed<>(key(value), value));

            assertThat(isPending(value)).isTrue();
            assertThat(events.take()).containsExactly("claimed");
            faulty.disarm();
            assertThat(caller.call(attempt(value), "another")).isEqualTo(new Outcome.Healed<>(key(value), value));
            assertThat(isSucceeded(value)).isTrue();
            assertThat(caller.runs()).isEqualTo(1);
            events.take();
        }
    }

    @Test
    void markWhoseAnswerIsLostIsMadeAgainAndFoundDone() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(StoreCall.SUCCEED).losesAnswer();

        assertThat(caller.call(attempt("k"), "result")).isInstanceOf(Outcome.Executed.class);

        assertThat(isSucceeded("k")).isTrue();
        assertThat(events.take()).containsExactly("claimed", "succeeded");
    }

    @Test
    void markIsMadeAgainAfterAPassingFault() throws Exception {
        for (Fault fault : List.of(Fault.CONNECTION_LOST, Fault.CONFLICT, Fault.LOCK_TIMEOUT, Fault.CANCELLED)) {
            faulty.at(StoreCall.SUCCEED).fails(fault);

            assertThat(caller().build().call(attempt(fault.name()), "result")).isInstanceOf(Outcome.Executed.class);

            assertThat(isSucceeded(fault.name())).isTrue();
        }
    }

    @Test
    void leaderThatWasHealedMeanwhileGivesTheStoredResult() throws Exception {
        TestOperation<C> caller = caller().build();

        Outcome<String> outcome = caller.call(attempt("k"), "result", effects -> {
            effects.write();
            IdempotencyRecord record = found(key("k"));
            assertThat(changes(transaction ->
                            transaction.succeed(record.key(), record.token(), Optional.of(bytes("stored")))))
                    .isTrue();
        });

        assertThat(outcome).isEqualTo(new Outcome.Executed<>(key("k"), "stored"));
    }

    @Test
    void leaderHealedBetweenTwoMarksGivesTheStoredResult() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(StoreCall.SUCCEED).fails(Fault.CONNECTION_LOST);
        faulty.at(StoreCall.LOCK)
                .before(() -> AnotherThread.run(() -> {
                    UUID fresh = UUID.randomUUID();
                    IdempotencyRecord record = found(key("k"));
                    assertThat(changes(transaction -> transaction.replaceToken(record.key(), record.token(), fresh)))
                            .isTrue();
                    assertThat(changes(transaction ->
                                    transaction.succeed(record.key(), fresh, Optional.of(bytes("stored")))))
                            .isTrue();
                }));

        assertThat(caller.call(attempt("k"), "result")).isEqualTo(new Outcome.Executed<>(key("k"), "stored"));

        assertThat(events.take()).doesNotContain("succeeded");
    }
}
