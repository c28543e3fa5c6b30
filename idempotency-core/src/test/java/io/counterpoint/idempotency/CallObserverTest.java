package io.counterpoint.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Every call of every operation is seen, whatever way it is made. */
class CallObserverTest {

    private final List<String> seen = new ArrayList<>();

    private final CallObserver observer = new CallObserver() {
        @Override
        public void observe(String operation, Supplier<? extends Outcome<?>> call) {
            try {
                seen.add(operation + " " + call.get().getClass().getSimpleName());
            } catch (Throwable thrown) {
                seen.add(operation + " " + thrown.getClass().getSimpleName());
                throw thrown;
            }
        }

        @Override
        public void observeAsync(String operation, Supplier<? extends CompletionStage<? extends Outcome<?>>> call) {
            seen.add(operation + " begins");
            Object unused = call.get();
        }

        @Override
        public IdempotencyClock observing(IdempotencyClock clock) {
            seen.add("clock");
            return clock;
        }
    };

    private final Idempotency<Transaction> idempotency = Idempotency.builder(new InMemoryIdempotencyStore())
            .observer(observer)
            .build();

    private static Attempt attempt(String key) {
        return Attempt.inScope("user:1").key(key).withoutRequest();
    }

    @Test
    void eachWayToCallIsObserved() throws Exception {
        var pay = idempotency.operation("pay", ResultCodec.string());
        var mail = idempotency.external("mail", ResultCodec.string(), unresolved -> Lookup.notYet());
        var charge = idempotency
                .provider("charge", ResultCodec.string(), ResultCodec.string(), (key, request) -> "charged")
                .rememberedFor(Duration.ofHours(12))
                .build();

        assertThat(pay.build().execute(attempt("1"), handle -> "paid").orElseThrow())
                .isEqualTo("paid");
        assertThat(pay.planned()
                        .build()
                        .execute(attempt("1"), () -> "plan", (handle, plan) -> {})
                        .orElseThrow())
                .isEqualTo("paid");
        assertThat(mail.build().execute(attempt("1"), key -> "sent").orElseThrow())
                .isEqualTo("sent");
        assertThat(mail.planned()
                        .build()
                        .execute(attempt("2"), () -> "plan", (key, plan) -> {})
                        .orElseThrow())
                .isEqualTo("plan");
        assertThat(mail.build()
                        .executeAsync(attempt("3"), key -> CompletableFuture.completedFuture("sent"))
                        .toCompletableFuture()
                        .get()
                        .orElseThrow())
                .isEqualTo("sent");
        assertThat(charge.execute(attempt("1"), "7 EUR").orElseThrow()).isEqualTo("charged");

        assertThat(seen)
                .containsExactly(
                        "clock",
                        "pay Executed",
                        "pay Replayed",
                        "mail Executed",
                        "mail Executed",
                        "mail begins",
                        "charge Executed");
    }

    @Test
    void whatTheWorkThrowsLeavesThroughTheObserverAsTheSameObject() {
        var pay = idempotency.operation("pay", ResultCodec.string()).build();
        IOException thrown = new IOException("refused");

        assertThatThrownBy(() -> pay.execute(attempt("1"), handle -> {
                    throw thrown;
                }))
                .isSameAs(thrown);
        assertThat(seen).containsExactly("clock", "pay IOException");
    }

    /** Before the call, after it, instead of it, twice: the caller gets what the call has given. */
    @Test
    void noObserverChangesAnOutcome() {
        List<CallObserver> bad = List.of(
                (operation, call) -> {
                    throw new IllegalStateException("before");
                },
                (operation, call) -> {
                    Object unused = call.get();
                    throw new AssertionError("after");
                },
                (operation, call) -> {},
                (operation, call) -> {
                    try {
                        Object unused = call.get();
                    } catch (Throwable swallowed) {
                        seen.add("swallowed");
                    }
                    Object unused = call.get();
                });
        for (CallObserver one : bad) {
            List<String> effects = new ArrayList<>();
            Idempotency<Transaction> observed = Idempotency.builder(new InMemoryIdempotencyStore())
                    .observer(one)
                    .build();
            var pay = observed.operation("pay", ResultCodec.string()).build();
            IllegalArgumentException declined = new IllegalArgumentException("declined");

            assertThat(pay.execute(attempt("1"), handle -> {
                        effects.add("1");
                        return "paid";
                    }))
                    .isInstanceOf(Outcome.Executed.class);
            assertThat(pay.execute(attempt("1"), handle -> "never")).isInstanceOf(Outcome.Replayed.class);
            assertThatThrownBy(() -> pay.execute(attempt("2"), handle -> {
                        effects.add("2");
                        throw declined;
                    }))
                    .isSameAs(declined);
            assertThat(effects).containsExactly("1", "2");
        }
    }

    /** An observer that leaves it to another thread would let the caller go on beside its own call. */
    @Test
    void callIsMadeOnItsCallersThreadAlone() {
        CompletableFuture<String> begun = new CompletableFuture<>();
        CompletableFuture<String> mayEnd = new CompletableFuture<>();
        Thread caller = Thread.currentThread();
        var pay = Idempotency.builder(new InMemoryIdempotencyStore())
                .observer((operation, call) -> {
                    Object unused = CompletableFuture.anyOf(CompletableFuture.supplyAsync(call::get), begun)
                            .join();
                })
                .build()
                .operation("pay", ResultCodec.string())
                .build();
        try {
            assertThat(pay.execute(attempt("1"), handle -> {
                        if (Thread.currentThread() != caller) {
                            begun.complete("elsewhere");
                            mayEnd.join();
                        }
                        return "paid";
                    }))
                    .isInstanceOf(Outcome.Executed.class);
        } finally {
            mayEnd.complete("now");
        }
    }

    /** A dependent stage would complete with a wrapped exception. */
    @Test
    void observedStageIsThatOfTheCall() {
        var mail = idempotency
                .external("mail", ResultCodec.string(), unresolved -> Lookup.notYet())
                .build();
        List<Throwable> thrown = new ArrayList<>();

        Object unused = mail.executeAsync(
                        attempt("1"), key -> CompletableFuture.failedFuture(new IOException("no answer")))
                .whenComplete((outcome, failed) -> thrown.add(failed));

        assertThat(thrown).singleElement().isInstanceOf(OutcomeUnknownException.class);
    }

    @Test
    void refusalOfAProviderIsObservedAsItsCallerSeesIt() {
        var charge = idempotency
                .provider("charge", ResultCodec.string(), ResultCodec.string(), (key, request) -> {
                    throw new IllegalStateException("declined");
                })
                .rememberedFor(Duration.ofHours(12))
                .refusedWhen(IllegalStateException.class::isInstance)
                .build();

        assertThat(charge.execute(attempt("1"), "7 EUR")).isInstanceOf(Outcome.Rejected.class);

        assertThat(seen).containsExactly("clock", "charge Rejected");
    }

    @Test
    void secondObserverIsRefusedInsteadOfReplacingTheFirst() {
        var builder = Idempotency.builder(new InMemoryIdempotencyStore()).observer(observer);

        assertThatThrownBy(() -> builder.observer(observer))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("observer");
    }
}
