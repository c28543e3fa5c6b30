package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A framework's transaction that joins an operation's: both commit or roll back together, and only the operation ends
 * them.
 */
abstract class JoinedTransactionContract<C> extends OperationContractTest<C> {

    private final AtomicInteger runs = new AtomicInteger();

    JoinedTransactionContract(OperationFixture<C> fixture) {
        super(fixture);
    }

    @AfterEach
    void nothingIsLeftOnTheThread() {
        assertThat(joining().isInTransaction()).isFalse();
    }

    private JoiningDomain<C> joining() {
        return (JoiningDomain<C>) domain;
    }

    private interface Work<C> {
        void run(C handle);
    }

    private <R> Operation.Builder<C, R> operation(ResultCodec<R> codec) {
        Operation.Builder<C, R> builder = Idempotency.builder(faulty)
                .clock(clock)
                .listener(events)
                .build()
                .operation("contract", codec);
        return way.protocol == Protocol.SINGLE_TRANSACTION
                ? builder.protocol(Operation.Protocol.SINGLE_TRANSACTION)
                : builder;
    }

    /** Calls with work that writes an effect and does something else. */
    private Outcome<String> call(String value, Work<C> more) {
        Work<C> work = handle -> {
            runs.incrementAndGet();
            domain.write(handle, value);
            more.run(handle);
        };
        Operation.Builder<C, String> builder = operation(ResultCodec.string());
        return way.planned
                ? builder.planned().build().execute(attempt(value), () -> value, (handle, plan) -> work.run(handle))
                : builder.build().execute(attempt(value), handle -> {
                    work.run(handle);
                    return value;
                });
    }

    private void failsForGood(String value, Throwable thrown, String code) {
        assertThat(thrown).isNotNull().isNotInstanceOf(IdempotencyException.class);
        assertThat(effects()).isEmpty();
        assertThat(runs).hasValue(1);
        assertThat(call(value, handle -> {}))
                .isInstanceOfSatisfying(
                        Outcome.Rejected.class,
                        rejected -> assertThat(rejected.failure().code()).isEqualTo(code));
        assertThat(runs).hasValue(1);
    }

    @Test
    void writeThatTheDatabaseRefusesIsTheWorksOwnFailure() {
        joining().prepare("entry");
        Throwable thrown = catchThrowable(() -> call("k", handle -> joining().writeAgain(handle, "entry")));
        failsForGood("k", thrown, Failure.CONSTRAINT);
    }

    @Test
    void rollbackOnlyOfAParticipantIsToldAndLeavesNothing() {
        Throwable thrown = catchThrowable(() -> call("k", handle -> joining().markRollbackOnly(handle)));
        failsForGood("k", thrown, thrown.getClass().getSimpleName());
    }

    @Test
    void callbackBeforeTheCommitThatThrowsLeavesNothing() {
        IllegalStateException refused = new IllegalStateException("refused");
        Throwable thrown = catchThrowable(() -> call(
                "k",
                handle -> joining().beforeCommit(handle, () -> {
                    throw refused;
                })));
        if (joining().handsOnWhatCallbacksThrow()) {
            assertThat(thrown).isSameAs(refused);
            failsForGood("k", thrown, thrown.getClass().getSimpleName());
        }
        assertThat(thrown).isNotNull();
        assertThat(effects()).isEmpty();
    }

    @Test
    void callbackAfterTheCommitThatThrowsChangesNoAnswer() {
        Work<C> work = handle -> joining().afterCommit(handle, () -> {
            throw new IllegalStateException("no mail");
        });
        assertThat(call("k", work)).isInstanceOf(Outcome.Executed.class);
        if (joining().handsOnWhatCallbacksThrow()) {
            assertThat(events.take()).containsOnlyOnce("after commit failed");
        }
        assertThat(call("k", work)).isInstanceOf(Outcome.Replayed.class);
        assertThat(effects()).containsExactly("k");
        assertThat(runs).hasValue(1);
    }

    @Test
    void callbackAfterTheCommitSeesTheEffectOnce() {
        List<List<String>> seen = new ArrayList<>();
        Work<C> work =
                handle -> joining().afterCommit(handle, () -> AnotherThread.run(() -> seen.add(domain.committed())));
        assertThat(call("k", work)).isInstanceOf(Outcome.Executed.class);
        assertThat(call("k", work)).isInstanceOf(Outcome.Replayed.class);
        assertThat(seen).containsExactly(List.of("k"));
    }

    @Test
    void callbackAfterTheCommitOfWorkThatFailsIsNotCalled() {
        List<String> called = new ArrayList<>();
        IllegalArgumentException refused = new IllegalArgumentException("refused");
        assertThatThrownBy(() -> call("k", handle -> {
                    joining().afterCommit(handle, () -> called.add("callback"));
                    throw refused;
                }))
                .isSameAs(refused);
        assertThat(called).isEmpty();
        assertThat(effects()).isEmpty();
    }

    @Test
    void callInsideATransactionOfTheFrameworkIsRefusedAndLeavesNothing() {
        joining()
                .inTransactionOfItsOwn(() ->
                        assertThatThrownBy(() -> call("k", handle -> {})).isInstanceOf(IllegalStateException.class));
        assertThat(runs).hasValue(0);
        assertThat(read(key("k"))).isEmpty();
        assertThat(call("k", handle -> {})).isInstanceOf(Outcome.Executed.class);
    }

    @Test
    void transactionOfItsOwnInsideTheWorkIsRefusedBeforeItBegins() {
        List<String> ran = new ArrayList<>();
        Throwable thrown =
                catchThrowable(() -> call("k", handle -> joining().inTransactionOfItsOwn(() -> ran.add("separately"))));
        assertThat(ran).isEmpty();
        failsForGood("k", thrown, thrown.getClass().getSimpleName());
    }

    /** For work without a plan, because a plan is made before the framework writes. */
    @Test
    void storedResultHasTheVersionThatTheFrameworkWrote() {
        joining().prepare("entry");
        long before = joining().version("entry");
        ResultCodec<LongSupplier> codec =
                ResultCodec.text(version -> Long.toString(version.getAsLong()), text -> () -> Long.parseLong(text));
        Operation<C, LongSupplier> operation = operation(codec).build();

        assertThat(operation.execute(attempt("k"), handle -> joining().change(handle, "entry")))
                .isInstanceOf(Outcome.Executed.class);

        assertThat(joining().version("entry")).isGreaterThan(before);
        LongSupplier replayed = operation
                .execute(attempt("k"), handle -> {
                    throw new AssertionError("The work ran again");
                })
                .orElseThrow();
        assertThat(replayed.getAsLong()).isEqualTo(joining().version("entry"));
    }
}
