package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Failed;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import io.counterpoint.idempotency.testkit.faults.ArmedCall;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Abandoned keys that are taken over: led again, with a fresh token and the stored plan. */
abstract class TakeoverContract<C> extends ArbitrationContractTest<C> {

    TakeoverContract(OperationFixture<C> fixture) {
        super(fixture);
    }

    @Test
    void takenOverKeyIsLedWithAFreshTokenAndTheStoredPlan() throws Exception {
        TestOperation<C> caller = takingOver().build();
        Pending record = abandoned("k", Optional.of("plan"));

        Outcome<String> outcome = caller.call(attempt("k"), "mine");

        String expected = way.planned ? "plan" : "mine";
        assertThat(outcome).isEqualTo(new Outcome.Executed<>(key("k"), expected));
        assertThat(effects()).containsExactly(expected);
        Succeeded succeeded = (Succeeded) found(key("k"));
        assertThat(succeeded.token()).isNotEqualTo(record.token());
        assertThat(succeeded.protocol()).isEqualTo(Protocol.CLAIM_FIRST);
        assertThat(succeeded.result()).contains(bytes(expected));
        assertThat(events.take()).containsExactly("arbitrated: not committed", "taken over", "succeeded");
    }

    @Test
    void takenOverKeyWithoutAPlanIsLedWithTheOwnOne() throws Exception {
        TestOperation<C> caller = takingOver().build();
        abandoned("k", Optional.empty());

        assertThat(caller.call(attempt("k"), "mine")).isEqualTo(new Outcome.Executed<>(key("k"), "mine"));

        assertThat(((Succeeded) found(key("k"))).result()).contains(bytes("mine"));
        assertThat(caller.call(attempt("k"), "another").orElseThrow()).isEqualTo("mine");
    }

    @Test
    void oneOfTwoArbitersTakesOver() throws Exception {
        TestOperation<C> caller = takingOver().build();
        abandoned("k", Optional.empty());
        faulty.at(StoreCall.LOCK)
                .before(() -> AnotherThread.run(() -> assertThat(anotherCaller()
                                .inDatabase(operation -> operation.whenAbandoned(Operation.Abandoned.TAKE_OVER, NONE))
                                .build()
                                .call(attempt("k"), "theirs"))
                        .isInstanceOf(Outcome.Executed.class)));

        assertThat(caller.call(attempt("k"), "mine").orElseThrow()).isEqualTo("theirs");

        assertThat(effects()).containsExactly("theirs");
    }

    @Test
    void takeOverWhoseAnswerIsLostLeadsOnce() throws Exception {
        TestOperation<C> caller = takingOver().build();
        abandoned("k", Optional.of("plan"));
        faulty.at(StoreCall.COMMIT).losesAnswer();

        Outcome<String> outcome = caller.call(attempt("k"), "mine");

        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        assertThat(caller.runs()).isEqualTo(1);
        assertThat(effects()).containsExactly(outcome.orElseThrow());
        assertThat(isSucceeded("k")).isTrue();
    }

    @Test
    void attemptWhosePlanCannotBeReadFailsAndIsNotTakenOver() throws Exception {
        TestOperation<C> caller = takingOver()
                .codec(ResultCodec.of(text -> text.getBytes(StandardCharsets.UTF_8), bytes -> {
                    throw new IOException("an old form");
                }))
                .build();
        Pending unused = abandoned("k", Optional.of("plan"));

        assertThat(caller.call(attempt("k"), "mine"))
                .isInstanceOfSatisfying(
                        Outcome.Rejected.class,
                        rejected -> assertThat(rejected.failure().code()).isEqualTo(Failure.ABANDONED));

        assertThat(isFailed("k")).isTrue();
        assertThat(caller.runs()).isZero();
    }

    @Test
    void workThatFailsAfterATakeOverIsRecordedUnderTheFreshToken() throws Exception {
        TestOperation<C> caller = takingOver().build();
        Pending record = abandoned("k", Optional.empty());
        IOException thrown = new IOException("domain");

        assertThat(thrownBy(caller, "k", thrown)).isSameAs(thrown);

        Failed failed = (Failed) found(key("k"));
        assertThat(failed.token()).isNotEqualTo(record.token());
        assertThat(failed.failure().code()).isEqualTo("IOException");
        assertThat(effects()).isEmpty();
    }

    @Test
    void takenOverWorkRunsAgainAfterAConflictWithTheStoredPlan() throws Exception {
        TestOperation<C> caller = takingOver().build();
        abandoned("k", Optional.of("plan"));
        faulty.second(StoreCall.COMMIT).fails(Fault.CONFLICT);

        Outcome<String> outcome = caller.call(attempt("k"), "mine");

        assertThat(outcome.orElseThrow()).isEqualTo(way.planned ? "plan" : "mine");
        assertThat(caller.runs()).isEqualTo(2);
        assertThat(effects()).containsExactly(outcome.orElseThrow());
    }

    @Test
    void takenOverWorkWhoseCommitIsUnansweredIsResolved() throws Exception {
        for (boolean committed : List.of(true, false)) {
            TestOperation<C> caller = takingOver().build();
            String value = "committed-" + committed;
            abandoned(value, Optional.empty());
            faulty.at(StoreCall.COMMIT);
            ArmedCall commit = faulty.at(StoreCall.COMMIT);
            if (committed) {
                commit.losesAnswer();
            } else {
                commit.fails(Fault.CONNECTION_LOST);
            }

            assertThat(caller.call(attempt(value), value)).isEqualTo(new Outcome.Executed<>(key(value), value));

            assertThat(effects()).containsOnlyOnce(value);
            assertThat(caller.runs()).isEqualTo(committed ? 1 : 2);
        }
    }
}
