package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException.OutcomeUnknownException;
import io.counterpoint.idempotency.IdempotencyException.UndecodableException;
import io.counterpoint.idempotency.IdempotencyException.UnstorableResultException;
import io.counterpoint.idempotency.IdempotencyListener;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Failed;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The answers that callers get when nothing goes wrong but their own conduct: the first, and all that follow. */
abstract class AnswerContract<C> extends OperationContractTest<C> {

    private static final ResultCodec<String> UNREADABLE =
            ResultCodec.of(text -> text.getBytes(StandardCharsets.UTF_8), bytes -> {
                throw new IOException("an old form");
            });

    private static final ResultCodec<String> UNWRITABLE = ResultCodec.of(
            text -> {
                throw new IOException("no form");
            },
            bytes -> new String(bytes, StandardCharsets.UTF_8));

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
        assertThat(second).isEqualTo(new Outcome.Replayed<>(key("k"), "first", Optional.empty()));
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
                        Fingerprint.of("request"),
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
                caller.call(Attempt.in("user:2").key("k").request("request"), "second"),
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

            assertThat(outcome).isEqualTo(new Outcome.KeyReused<>(record.key(), Optional.empty()));
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

        assertThat(outcome).isEqualTo(new Outcome.Rejected<>(key("k"), failed.failure(), Optional.empty()));
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
                    .isEqualTo(new Outcome.Replayed<>(pending.key(), "by another", Optional.empty()));
        }
        assertThat(caller.runs()).isZero();
    }

    @Test
    void resultThatIsTooLargeIsNeverCommittedAsIfItFitted() throws Exception {
        TestOperation<C> caller = caller().inDatabase(operation -> operation.maxResultBytes(3))
                .outside(operation -> operation.maxResultBytes(3))
                .build();

        refusedOrAnswered(caller, "large");

        assertThat(caller.call(attempt("limit"), "123").orElseThrow()).isEqualTo("123");
    }

    @Test
    void resultThatHasNoFormIsNeverCommittedAsIfItHadOne() throws Exception {
        refusedOrAnswered(caller().codec(UNWRITABLE).build(), "formless");
    }

    /** A result that cannot be stored: refused before the claim, rolled back, or told and read from the domain later. */
    private void refusedOrAnswered(TestOperation<C> caller, String result) throws Exception {
        if (way.external() && !way.planned) {
            Outcome<String> first = caller.call(attempt("k"), result);
            Outcome<String> second = caller.call(attempt("k"), "another");

            assertThat(first).isEqualTo(new Outcome.Executed<>(key("k"), result));
            assertThat(second).isEqualTo(new Outcome.Replayed<>(key("k"), result, Optional.empty()));
            assertThat(((Succeeded) found(key("k"))).result()).isEmpty();
            assertThat(effects()).containsExactly(result);
            return;
        }
        Throwable thrown = catchThrowable(() -> caller.call(attempt("k"), result));

        assertThat(thrown).isInstanceOf(UnstorableResultException.class);
        assertThat(effects()).isEmpty();
        if (way.planned) {
            assertThat(read(key("k"))).isEmpty();
            assertThat(caller.runs()).isZero();
        } else {
            assertThat(isFailed("k")).isTrue();
            assertThat(caller.call(attempt("k"), result)).isInstanceOf(Outcome.Rejected.class);
            assertThat(caller.runs()).isEqualTo(1);
        }
    }

    @Test
    void storedResultThatCannotBeReadIsReportedAndTheWorkNeverRunAgain() throws Exception {
        assertThat(caller().build().call(attempt("k"), "result")).isInstanceOf(Outcome.Executed.class);
        IdempotencyRecord record = found(key("k"));
        TestOperation<C> changed = caller().codec(UNREADABLE).build();

        if (way.external()) {
            assertThat(changed.call(attempt("k"), "another").orElseThrow()).isEqualTo("result");
        } else {
            assertThatThrownBy(() -> changed.call(attempt("k"), "another"))
                    .isInstanceOf(UndecodableException.class)
                    .hasRootCauseMessage("an old form");
        }

        assertThat(changed.runs()).isZero();
        assertThat(effects()).containsExactly("result");
        assertThat(found(key("k"))).isEqualTo(record);
    }

    @Test
    void unreadableResultIsReadFromTheDomainByKey() throws Exception {
        TestOperation<C> changed = caller().codec(UNREADABLE)
                .inDatabase(operation -> operation.lookUpByKey(
                        (handle, key) -> domain.isThere(handle, "result") ? Optional.of("result") : Optional.empty()))
                .build();
        assertThat(caller().build().call(attempt("k"), "result")).isInstanceOf(Outcome.Executed.class);

        Outcome<String> outcome = changed.call(attempt("k"), "another");

        assertThat(outcome).isEqualTo(new Outcome.Replayed<>(key("k"), "result", Optional.empty()));
        assertThat(changed.runs()).isZero();
    }

    @Test
    void nullResultIsRefusedBeforeAnythingIsCommitted() {
        Idempotency<C> idempotency = Idempotency.on(store);
        if (way.external()) {
            var operation = idempotency
                    .<String>external("contract", ResultCodec.string(), remote::find)
                    .build();
            assertThatThrownBy(() -> operation.execute(attempt("k"), key -> nothing()))
                    .isInstanceOf(OutcomeUnknownException.class)
                    .hasCauseInstanceOf(UnstorableResultException.class);
            assertThat(isPending("k")).isTrue();
            return;
        }
        var operation = idempotency.operation("contract", ResultCodec.string());
        assertThatThrownBy(() -> (way.claimsFirst() ? operation : operation.singleTransaction())
                        .build()
                        .execute(attempt("k"), handle -> {
                            domain.write(handle, "effect");
                            return nothing();
                        }))
                .isInstanceOf(UnstorableResultException.class);
        assertThat(domain.committed()).isEmpty();
        assertThat(isFailed("k")).isTrue();
    }

    @Test
    void nullPlanIsToldAsSuchAndStartsNothing() {
        Idempotency<C> idempotency = Idempotency.on(store);
        var operation = idempotency.operation("contract", ResultCodec.string());

        assertThatThrownBy(() -> {
                    if (way.external()) {
                        assertThat(idempotency
                                        .<String>external("contract", ResultCodec.string(), remote::find)
                                        .build()
                                        .executePlanned(attempt("k"), AnswerContract::nothing, (key, plan) -> {}))
                                .isNull();
                    } else {
                        assertThat((way.claimsFirst() ? operation : operation.singleTransaction())
                                        .build()
                                        .executePlanned(attempt("k"), AnswerContract::nothing, (handle, plan) -> {}))
                                .isNull();
                    }
                })
                .isInstanceOf(UnstorableResultException.class)
                .hasMessageContaining("contract#")
                .hasMessageContaining("the plan is null");

        assertThat(read(key("k"))).isEmpty();
    }

    @SuppressWarnings("NullAway") // The mistake under test.
    private static String nothing() {
        return null;
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
        assertThat(effects()).containsExactly("result", "afterwards");
    }

    @Test
    void interruptReachesTheWorkAndOutlivesTheCall() throws Exception {
        TestOperation<C> caller = caller().build();
        List<Boolean> seen = new ArrayList<>();

        Outcome<String> outcome = AnotherThread.get(() -> {
            Thread.currentThread().interrupt();
            Outcome<String> answer = caller.call(attempt("k"), "result", effects -> {
                seen.add(Thread.interrupted());
                effects.write();
                Thread.currentThread().interrupt();
            });
            seen.add(Thread.currentThread().isInterrupted());
            return answer;
        });

        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        assertThat(seen).containsExactly(true, true);
        assertThat(isSucceeded("k")).isTrue();
        assertThat(effects()).containsExactly("result");
    }

    @Test
    void interruptThatTheWorkHasTakenIsGone() throws Exception {
        TestOperation<C> caller = caller().build();

        boolean interrupted = AnotherThread.get(() -> {
            Thread.currentThread().interrupt();
            assertThat(caller.call(
                            attempt("k"),
                            "result",
                            effects -> assertThat(Thread.interrupted()).isTrue()))
                    .isInstanceOf(Outcome.Executed.class);
            return Thread.currentThread().isInterrupted();
        });

        assertThat(interrupted).isFalse();
    }

    @Test
    void interruptedFollowerIsAnsweredAndStaysInterrupted() throws Exception {
        TestOperation<C> caller = caller().build();
        assertThat(caller.call(attempt("k"), "result")).isInstanceOf(Outcome.Executed.class);

        Outcome<String> outcome = AnotherThread.get(() -> {
            Thread.currentThread().interrupt();
            Outcome<String> answer = caller.call(attempt("k"), "another");
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
            return answer;
        });

        assertThat(outcome.orElseThrow()).isEqualTo("result");
    }

    @Test
    void listenerThatThrowsChangesNothing() throws Exception {
        IdempotencyListener throwing = (IdempotencyListener) Proxy.newProxyInstance(
                IdempotencyListener.class.getClassLoader(),
                new Class<?>[] {IdempotencyListener.class},
                (proxy, method, arguments) -> {
                    throw new AssertionError(method.getName());
                });
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

    @Test
    void workSeesTheInterruptOfItsCallerAndNoOther() {
        TestOperation<C> caller = caller().build();
        List<Boolean> seen = new ArrayList<>();
        TestOperation.Work work = effects -> seen.add(Thread.currentThread().isInterrupted());

        boolean left = AnotherThread.get(() -> {
            assertThat(caller.call(attempt("undisturbed"), "result", work)).isInstanceOf(Outcome.Executed.class);
            Thread.currentThread().interrupt();
            assertThat(caller.call(attempt("interrupted"), "result", work)).isInstanceOf(Outcome.Executed.class);
            return Thread.interrupted();
        });

        assertThat(seen).containsExactly(false, true);
        assertThat(left).isTrue();
    }
}
