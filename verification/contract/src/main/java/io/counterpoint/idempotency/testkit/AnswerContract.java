package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyListener;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Failed;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What callers get in the absence of faults: the first response, and all that follow. */
abstract class AnswerContract<C> extends OperationContractTest<C> {

    AnswerContract(OperationFixture<C> fixture) {
        super(fixture);
    }

    @Test
    void firstCallExecutesAndEveryLaterOneReplaysAnEqualResult() throws Exception {
        TestOperation<C> caller = caller().build();

        Outcome<String> first = caller.call(attempt("k"), "first");
        Outcome<String> second = caller.call(attempt("k"), "second");
        Outcome<String> ofAnother = anotherCaller().build().call(attempt("k"), "third");

        assertThat(first).isEqualTo(new Outcome.Executed<>(key("k"), "first"));
        assertThat(second).isEqualTo(new Outcome.Replayed<>(key("k"), "first"));
        assertThat(ofAnother).isEqualTo(second);
        assertThat(caller.runs()).isEqualTo(1);
        assertThat(effects()).containsExactly("first");
        assertThat(events.take()).containsExactly("claimed", "succeeded", "replayed");
    }

    @Test
    void recordOfASuccessSaysWhatWasAskedAndAnswered() throws Exception {
        assertThat(caller().build().call(attempt("k"), "result")).isInstanceOf(Outcome.Executed.class);

        IdempotencyRecord record = found(key("k"));
        assertThat(record)
                .isEqualTo(new Succeeded(
                        key("k"),
                        way.protocol,
                        record.token(),
                        Fingerprint.ofParts("request"),
                        Optional.of(bytes("result"))));
    }

    @Test
    void everyClaimHasATokenOfItsOwn() throws Exception {
        TestOperation<C> caller = caller().build();
        List<UUID> tokens = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            assertThat(caller.call(attempt("k" + i), "result")).isInstanceOf(Outcome.Executed.class);
            tokens.add(found(key("k" + i)).token());
        }

        assertThat(tokens).doesNotHaveDuplicates();
        assertThat(tokens).extracting(UUID::getMostSignificantBits).doesNotHaveDuplicates();
    }

    @Test
    void sameValueOfAnotherScopeOrOperationIsAnotherKey() throws Exception {
        TestOperation<C> caller = caller().build();
        TestOperation<C> another = caller().named("another").build();

        List<Outcome<String>> outcomes = List.of(
                caller.call(attempt("k"), "first"),
                caller.call(Attempt.inScope("user:2").key("k").request("request"), "second"),
                another.call(attempt("k"), "third"));

        assertThat(outcomes).allSatisfy(outcome -> assertThat(outcome).isInstanceOf(Outcome.Executed.class));
        assertThat(effects()).containsExactlyInAnyOrder("first", "second", "third");
        assertThat(another.call(attempt("k"), "fourth").orElseThrow()).isEqualTo("third");
    }

    @Test
    void otherRequestUnderTheKeyIsRefusedInEveryState() throws Exception {
        TestOperation<C> caller = caller().build();
        Pending pending = pendingOfAnother("pending", Optional.of("plan"));
        Succeeded succeeded = plant(succeeded("succeeded"));
        Failed failed = plant(failed("failed"));
        remote.add(pending.key(), "plan");

        for (IdempotencyRecord record : List.of(pending, succeeded, failed)) {
            Outcome<String> outcome = caller.call(attempt(record.key().value(), "another request"), "result");

            assertThat(outcome).isEqualTo(new Outcome.KeyReused<>(record.key()));
            assertThat(record(record.key().value())).isEqualTo(record);
        }
        assertThat(caller.runs()).isZero();
        assertThat(remote.lookUps()).isZero();
        assertThat(domain.committed()).isEmpty();
        assertThat(events.take()).containsExactly("key reused", "key reused", "key reused");
    }

    @Test
    void liveLeaderIsLeftInPeace() throws Exception {
        TestOperation<C> caller = caller().inDatabase(operation -> operation.waitAtMost(Duration.ofMillis(1)))
                .build();
        Pending pending = pendingOfAnother("k", Optional.of("plan"));
        clock.advance(Duration.ofMinutes(10));

        Outcome<String> outcome = caller.call(attempt("k"), "result");

        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Outcome.InProgress.class,
                        inProgress -> assertThat(inProgress.age()).isBetween(Duration.ZERO, Duration.ofMinutes(1)));
        assertThat(record("k")).isEqualTo(pending);
        assertThat(caller.runs()).isZero();
        assertThat(effects()).isEmpty();
        assertThat(events.take()).containsExactly("in progress");
    }

    @Test
    void failedKeyIsRejectedAndTheWorkNotRun() throws Exception {
        TestOperation<C> caller = caller().build();
        Failed failed = plant(failed("k"));

        Outcome<String> outcome = caller.call(attempt("k"), "result");

        assertThat(outcome).isEqualTo(new Outcome.Rejected<>(key("k"), failed.failure()));
        assertThat(caller.runs()).isZero();
        assertThat(events.take()).containsExactly("rejected declined");
    }

    @Test
    void recordsOfEveryProtocolAreReplayed() throws Exception {
        TestOperation<C> caller = caller().build();
        for (IdempotencyRecord.Protocol protocol : IdempotencyRecord.Protocol.values()) {
            Pending pending = pendingOfAnother(key(protocol.name()), protocol, Optional.empty());
            assertThat(succeeds(pending, "by another")).isTrue();

            assertThat(caller.call(attempt(protocol.name()), "result"))
                    .isEqualTo(new Outcome.Replayed<>(pending.key(), "by another"));
        }
        assertThat(caller.runs()).isZero();
    }

    @Test
    void callInsideACallIsRefused() throws Exception {
        TestOperation<C> caller = caller().build();
        TestOperation<C> inner = caller().named("inner").build();

        Outcome<String> outcome = caller.call(attempt("k"), "result", effects -> {
            assertThatThrownBy(() -> inner.call(attempt("k"), "inner"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("called inside the call of contract#");
            effects.write();
        });

        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        assertThat(read(inner.keyOf(attempt("k")))).isEmpty();
        assertThat(inner.call(attempt("k"), "afterwards")).isInstanceOf(Outcome.Executed.class);
        assertThat(effects()).containsExactlyInAnyOrder("result", "afterwards");
    }

    @Test
    void listenerThatThrowsChangesNothing() throws Exception {
        IdempotencyListener throwing = event -> {
            throw new AssertionError(event.name());
        };
        TestOperation<C> caller = new TestOperation.Builder<>(
                        way, Idempotency.builder(store).listener(throwing).clock(clock), domain, remote)
                .build();
        plant(failed("failed"));

        assertThat(caller.call(attempt("k"), "result")).isInstanceOf(Outcome.Executed.class);
        assertThat(caller.call(attempt("k"), "result")).isInstanceOf(Outcome.Replayed.class);
        assertThat(caller.call(attempt("k", "another request"), "result")).isInstanceOf(Outcome.KeyReused.class);
        assertThat(caller.call(attempt("failed"), "result")).isInstanceOf(Outcome.Rejected.class);
        assertThat(effects()).containsExactly("result");
    }

    @Test
    void callHoldsOneSessionAtMostAndNoneAfterwards() throws Exception {
        TestOperation<C> caller = caller().build();

        assertThat(caller.call(attempt("k"), "result", effects -> {
                    assertThat(faulty.openSessions()).isEqualTo(way.external() ? 0 : 1);
                    effects.write();
                }))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(caller.call(attempt("k"), "result")).isInstanceOf(Outcome.Replayed.class);
        assertThat(caller.call(attempt("k", "another request"), "result")).isInstanceOf(Outcome.KeyReused.class);
        assertThat(catchThrowable(() -> caller.call(attempt("throws"), "result", effects -> {
                    throw new IOException("domain");
                })))
                .isNotNull();

        assertThat(faulty.openSessions()).isZero();
        assertThat(faulty.mostSessions()).isEqualTo(1);
    }
}
