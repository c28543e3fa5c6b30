package io.counterpoint.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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

    private final Idempotency<Transaction> idempotency = Idempotency.builder(new InMemoryIdempotencyStore())
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
        return operation.execute(Attempt.in("user:1").key(key).request(), transaction -> "of " + key);
    }

    private static <T> CompletableFuture<T> start(java.util.function.Supplier<T> work) {
        return CompletableFuture.supplyAsync(work, task -> new Thread(task).start());
    }

    @Test
    void callBeyondTheHundredthOfAKeyIsAnsweredAtOnceAndCallsOfOtherKeysGoOn() throws Exception {
        CompletableFuture<Outcome<String>> leader = start(() -> operation.<RuntimeException>execute(
                Attempt.in("user:1").key("k").request(), transaction -> {
                    leads.countDown();
                    try {
                        done.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                    return "led";
                }));
        leads.await();
        List<CompletableFuture<Outcome<String>>> followers = new ArrayList<>();
        for (int i = 1; i < PLACES; i++) {
            followers.add(start(() -> call("k")));
        }
        waiting.await();

        assertThat(call("k")).isInstanceOf(Outcome.InProgress.class);
        assertThat(call("other")).isInstanceOf(Outcome.Executed.class);

        done.countDown();
        assertThat(leader.get()).isInstanceOf(Outcome.Executed.class);
        for (CompletableFuture<Outcome<String>> follower : followers) {
            assertThat(follower.get()).isInstanceOf(Outcome.Replayed.class);
        }
        assertThat(call("k")).isInstanceOf(Outcome.Replayed.class);
    }
}
