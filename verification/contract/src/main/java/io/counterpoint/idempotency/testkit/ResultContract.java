package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.UndecodableException;
import io.counterpoint.idempotency.UnstorableResultException;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Results and plans that are missing, too large, or cannot be written or read. */
abstract class ResultContract<C> extends OperationContractTest<C> {

    private static final ResultCodec<String> UNREADABLE =
            ResultCodec.of(text -> text.getBytes(StandardCharsets.UTF_8), bytes -> {
                throw new IOException("an old form");
            });

    private static final ResultCodec<String> UNWRITABLE = ResultCodec.of(
            text -> {
                throw new IOException("no form");
            },
            bytes -> new String(bytes, StandardCharsets.UTF_8));

    ResultContract(OperationFixture<C> fixture) {
        super(fixture);
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

    /** In UTF-8 it would become a question mark, which a retry would get. */
    @Test
    void textWithHalfASurrogatePairIsNeverCommittedAsIfItWereWhole() throws Exception {
        refusedOrAnswered(
                caller().codec(ResultCodec.text(text -> text + "\ud83d", text -> text))
                        .build(),
                "half");
    }

    /** A result that cannot be stored is rejected before the claim, rolled back, or returned and later looked up. */
    private void refusedOrAnswered(TestOperation<C> caller, String result) throws Exception {
        if (way.external() && !way.planned) {
            Outcome<String> first = caller.call(attempt("k"), result);
            Outcome<String> second = caller.call(attempt("k"), "another");

            assertThat(first).isEqualTo(new Outcome.Executed<>(key("k"), result));
            assertThat(second).isEqualTo(new Outcome.Replayed<>(key("k"), result));
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
    void unreadableResultIsReportedAndTheWorkNeverRunAgain() throws Exception {
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

    /** What cannot be read again may be gone. */
    @Test
    void unreadableResultIsReportedOnceItsRecordIsReadAgain() throws Exception {
        assertThat(caller().build().call(attempt("k"), "result")).isInstanceOf(Outcome.Executed.class);
        TestOperation<C> changed = caller().codec(UNREADABLE).build();
        if (way.external()) {
            return;
        }
        faulty.at(StoreCall.READ).fails(Fault.CONNECTION_LOST);

        assertThatThrownBy(() -> changed.call(attempt("k"), "another")).isInstanceOf(UndecodableException.class);

        assertThat(changed.runs()).isZero();
    }

    @Test
    void unreadableResultIsReadFromTheDomainByKey() throws Exception {
        TestOperation<C> changed = caller().codec(UNREADABLE)
                .inDatabase(operation -> operation.lookUpByKey(
                        (handle, key) -> domain.isThere(handle, "result") ? Optional.of("result") : Optional.empty()))
                .build();
        assertThat(caller().build().call(attempt("k"), "result")).isInstanceOf(Outcome.Executed.class);

        Outcome<String> outcome = changed.call(attempt("k"), "another");

        assertThat(outcome).isEqualTo(new Outcome.Replayed<>(key("k"), "result"));
        assertThat(changed.runs()).isZero();
    }

    @Test
    void nullResultIsRefusedBeforeAnythingIsCommitted() {
        Idempotency<C> idempotency = Idempotency.on(store);
        if (way.external()) {
            var operation = idempotency
                    .<String>external(
                            "contract", ResultCodec.string(), unresolved -> Lookup.of(remote.find(unresolved)))
                    .build();
            assertThatThrownBy(() -> operation.execute(attempt("k"), key -> nothing()))
                    .isInstanceOf(OutcomeUnknownException.class)
                    .hasStackTraceContaining("the work returned null");
            assertThat(isPending("k")).isTrue();
            return;
        }
        var operation = idempotency.operation("contract", ResultCodec.string());
        assertThatThrownBy(() -> (way.claimsFirst()
                                ? operation
                                : operation.protocol(Operation.Protocol.SINGLE_TRANSACTION))
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
    void nullPlanIsReportedAsSuchAndStartsNothing() {
        Idempotency<C> idempotency = Idempotency.on(store);
        var operation = idempotency.operation("contract", ResultCodec.string());

        assertThatThrownBy(() -> {
                    if (way.external()) {
                        assertThat(idempotency
                                        .<String>external(
                                                "contract",
                                                ResultCodec.string(),
                                                unresolved -> Lookup.of(remote.find(unresolved)))
                                        .planned()
                                        .build()
                                        .execute(attempt("k"), ResultContract::nothing, (key, plan) -> {}))
                                .isNull();
                    } else {
                        assertThat((way.claimsFirst()
                                                ? operation
                                                : operation.protocol(Operation.Protocol.SINGLE_TRANSACTION))
                                        .planned()
                                        .build()
                                        .execute(attempt("k"), ResultContract::nothing, (handle, plan) -> {}))
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
}
