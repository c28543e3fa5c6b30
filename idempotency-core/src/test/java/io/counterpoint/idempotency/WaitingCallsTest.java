package io.counterpoint.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How many duplicates of one key wait, each with its thread. */
@Timeout(60)
class WaitingCallsTest {

    private static final int PLACES = 100;

    private final CountDownLatch waiting = new CountDownLatch(PLACES - 1);
    private final CountDownLatch leads = new CountDownLatch(1);
    private final CountDownLatch done = new CountDownLatch(1);

    private final InMemoryIdempotencyStore store = new InMemoryIdempotencyStore();
    private final Queue<IdempotencyEvent> events = new ConcurrentLinkedQueue<>();
    private final Idempotency<Transaction> idempotency = Idempotency.builder(store)
            .listener(events::add)
            .clock(new IdempotencyClock() {
                @Override
                public Instant now() {
                    return Instant.EPOCH;
                }

                @Override
                public void sleep(Duration pause) throws InterruptedException {
                    waiting.countDown();
                    done.await();
                }
            })
            .build();

    private final Operation<Transaction, String> operation = idempotency
            .operation("operate", ResultCodec.string())
            .waitAtMost(Duration.ofSeconds(1))
            .build();

    private Outcome<String> call(String key) {
        return operation.execute(Attempt.inScope("user:1").key(key).withoutRequest(), transaction -> "of " + key);
    }

    private static <T> CompletableFuture<T> start(java.util.function.Supplier<T> work) {
        return CompletableFuture.supplyAsync(work, task -> new Thread(task).start());
    }

    @Test
    void callBeyondTheHundredthOfAKeyIsAnsweredAtOnceAndCallsOfOtherKeysGoOn() throws Exception {
        CompletableFuture<Outcome<String>> leader = start(() -> operation.<RuntimeException>execute(
                Attempt.inScope("user:1").key("k").withoutRequest(), transaction -> {
                    leads.countDown();
                    return led();
                }));
        leads.await();
        List<CompletableFuture<Outcome<String>>> followers = new ArrayList<>();
        for (int i = 1; i < PLACES; i++) {
            followers.add(start(() -> call("k")));
        }
        waiting.await();

        assertThat(call("k")).isInstanceOf(Outcome.InProgress.class);
        assertThat(events)
                .hasOnlyElementsOfTypes(
                        IdempotencyEvent.Claimed.class,
                        IdempotencyEvent.WaitRefused.class,
                        IdempotencyEvent.InProgress.class);
        assertThat(call("other")).isInstanceOf(Outcome.Executed.class);

        done.countDown();
        assertThat(leader.get()).isInstanceOf(Outcome.Executed.class);
        for (CompletableFuture<Outcome<String>> follower : followers) {
            assertThat(follower.get()).isInstanceOf(Outcome.Replayed.class);
        }
        assertThat(call("k")).isInstanceOf(Outcome.Replayed.class);
    }

    @Test
    void callersOfAllKeysWaitUpToTheBoundOfTheirOperationAndFirstCallsAreNotCounted() throws Exception {
        CountDownLatch twoWait = new CountDownLatch(2);
        CountDownLatch threeLead = new CountDownLatch(3);
        Idempotency<Transaction> here = Idempotency.builder(store)
                .listener(events::add)
                .clock(new IdempotencyClock() {
                    @Override
                    public Instant now() {
                        return Instant.EPOCH;
                    }

                    @Override
                    public void sleep(Duration pause) throws InterruptedException {
                        twoWait.countDown();
                        done.await();
                    }
                })
                .build();
        Operation<Transaction, String> bounded = here.operation("operate", ResultCodec.string())
                .waitAtMost(Duration.ofSeconds(1))
                .maxWaiting(2)
                .build();
        List<CompletableFuture<Outcome<String>>> calls = new ArrayList<>();
        // The leaders of two keys are in this process, and that of one is in another.
        for (Operation<Transaction, String> leading : List.of(bounded, bounded, operation)) {
            Attempt attempt = Attempt.inScope("user:1").key("k" + calls.size()).withoutRequest();
            calls.add(start(() -> leading.<RuntimeException>execute(attempt, transaction -> {
                threeLead.countDown();
                return led();
            })));
        }
        threeLead.await();
        for (String key : List.of("k0", "k2")) {
            calls.add(start(() -> waitOrLead(bounded, key)));
        }
        twoWait.await();
        events.clear();

        for (String key : List.of("k0", "k1", "k2")) {
            assertThat(waitOrLead(bounded, key)).isInstanceOf(Outcome.InProgress.class);
        }
        assertThat(events)
                .filteredOn(IdempotencyEvent.WaitRefused.class::isInstance)
                .hasSize(3);
        assertThat(waitOrLead(bounded, "another")).isInstanceOf(Outcome.Executed.class);
        assertThat(waitOrLead(bounded, "another")).isInstanceOf(Outcome.Replayed.class);

        done.countDown();
        for (CompletableFuture<Outcome<String>> call : calls) {
            assertThat(call.get().asOptional()).isPresent();
        }
        assertThat(waitOrLead(bounded, "k1")).isInstanceOf(Outcome.Replayed.class);
    }

    private String led() {
        try {
            done.await();
            return "led";
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Outcome<String> waitOrLead(Operation<Transaction, String> operation, String key) {
        return operation.execute(Attempt.inScope("user:1").key(key).withoutRequest(), transaction -> "of " + key);
    }
}
