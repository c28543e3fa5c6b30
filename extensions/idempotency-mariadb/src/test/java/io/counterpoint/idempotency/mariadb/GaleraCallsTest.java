package io.counterpoint.idempotency.mariadb;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Batch;
import io.counterpoint.idempotency.BatchResult;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls of one key on several nodes: what locks would keep apart on one server, commits keep apart here. */
@Tag("galera")
@Timeout(300)
class GaleraCallsTest extends GaleraFixture {

    private static final Attempt ATTEMPT = Attempt.inScope("user:1").key("key").request("request");

    @BeforeEach
    void begin() {
        empty();
    }

    private static void insertEffect(Handle handle, String name) {
        handle.execute("INSERT INTO effect VALUES (uuid(), ?, '', '')", name);
    }

    private static int effects() {
        return Jdbi.create(pools.of(2))
                .withHandle(handle -> handle.createQuery(
                                "SET STATEMENT wsrep_sync_wait = 1 FOR SELECT count(*) FROM effect")
                        .mapTo(Integer.class)
                        .one());
    }

    @Test
    void callOnAnotherNodeIsAnsweredFromTheRecord() {
        for (int node = 0; node < 3; node++) {
            Outcome<String> outcome = operation(node).execute(ATTEMPT, handle -> {
                insertEffect(handle, "effect");
                return "result";
            });
            assertThat(outcome).isInstanceOf(node == 0 ? Outcome.Executed.class : Outcome.Replayed.class);
            assertThat(outcome.orElseThrow()).isEqualTo("result");
        }
        assertThat(effects()).isEqualTo(1);
    }

    /** The other node's leader has written the same row of the domain, and has committed first. */
    @Test
    void workThatConflictsWithAnotherNodeIsRunAgain() {
        Jdbi.create(pools.of(0))
                .useHandle(handle -> handle.execute("INSERT INTO effect VALUES ('1', 'shared', '', '')"));
        int[] runs = {0};
        Outcome<String> outcome = operation(0).execute(ATTEMPT, handle -> {
            handle.createQuery("SELECT key_value FROM effect WHERE id = '1' FOR UPDATE")
                    .mapTo(String.class)
                    .one();
            if (runs[0]++ == 0) {
                Jdbi.create(pools.of(1))
                        .useHandle(other -> other.execute("UPDATE effect SET key_value = 'other' WHERE id = '1'"));
            }
            handle.execute("UPDATE effect SET key_value = CONCAT(key_value, '+') WHERE id = '1'");
            return "result";
        });
        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        assertThat(runs[0]).isEqualTo(2);
        String name = Jdbi.create(pools.of(0))
                .withHandle(handle -> handle.createQuery("SELECT key_value FROM effect WHERE id = '1'")
                        .mapTo(String.class)
                        .one());
        assertThat(name).isEqualTo("other+");
    }

    private interface Call {
        Outcome<String> run();
    }

    private static Outcome<String> answerOf(FutureTask<Outcome<String>> call) {
        try {
            return call.get(60, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    /** The leader works on the first node until a rival on the second one is answered. */
    private static Outcome<String> whileALeaderWorks(Operation<Handle, String> leading, Call rival, String ofTheRival)
            throws Exception {
        CountDownLatch works = new CountDownLatch(1);
        CountDownLatch answered = new CountDownLatch(1);
        FutureTask<Outcome<String>> leader = new FutureTask<>(() -> leading.<Exception>execute(ATTEMPT, handle -> {
            insertEffect(handle, "leader's");
            works.countDown();
            assertThat(answered.await(60, TimeUnit.SECONDS)).isTrue();
            return "leader's";
        }));
        new Thread(leader, "leader").start();
        assertThat(works.await(60, TimeUnit.SECONDS)).isTrue();
        try {
            assertThat(rival.run().orElseThrow()).isEqualTo(ofTheRival);
        } finally {
            answered.countDown();
        }
        return leader.get(60, TimeUnit.SECONDS);
    }

    /** Its lock is not seen. So the grace has to exceed the longest work, and nothing is doubled where it does not. */
    @Test
    void leaderThatIsTakenForDeadHasNoEffect() throws Exception {
        Operation<Handle, String> rival = Idempotency.on(store(1))
                .operation("operate", ResultCodec.string())
                .waitAtMost(Duration.ofSeconds(20))
                .whenAbandoned(Operation.Abandoned.TAKE_OVER, Duration.ofMillis(100))
                .build();
        Outcome<String> late = whileALeaderWorks(
                operation(0),
                () -> rival.execute(ATTEMPT, handle -> {
                    insertEffect(handle, "rival's");
                    return "rival's";
                }),
                "rival's");
        assertThat(late).isInstanceOf(Outcome.Replayed.class);
        assertThat(late.orElseThrow()).isEqualTo("rival's");
        assertThat(effects()).isEqualTo(1);
    }

    /** Nothing of the leader is committed, so the rival on another node does not wait, and works too. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void singleTransactionsOnTwoNodesWorkAtOnceAndOneIsCommitted(boolean recordsLast) throws Exception {
        List<Operation<Handle, String>> operations = new ArrayList<>();
        for (int node = 0; node < 2; node++) {
            Operation.Builder<Handle, String> builder =
                    Idempotency.on(store(node).checkTable()).operation("operate", ResultCodec.string());
            operations.add((recordsLast
                            ? builder.protocol(Operation.Protocol.RECORD_LAST)
                            : builder.protocol(Operation.Protocol.SINGLE_TRANSACTION))
                    .build());
        }
        Outcome<String> late = whileALeaderWorks(
                operations.get(0),
                () -> operations.get(1).execute(ATTEMPT, handle -> {
                    insertEffect(handle, "rival's");
                    return "rival's";
                }),
                "rival's");
        assertThat(late).isInstanceOf(Outcome.Replayed.class);
        assertThat(late.orElseThrow()).isEqualTo("rival's");
        assertThat(effects()).isEqualTo(1);
    }

    /** A batch on another node does not see the claim of its rival, and loses at its commit. */
    @Test
    void batchThatMeetsARivalOfAnotherNodeIsExecutedWithoutItsKey() {
        List<Attempt> attempts =
                List.of(ATTEMPT, Attempt.inScope("user:1").key("other").request("request"));
        AtomicInteger runs = new AtomicInteger();
        FutureTask<Outcome<String>> rival = new FutureTask<>(() -> operation(1).execute(ATTEMPT, handle -> {
            insertEffect(handle, "rival's");
            return "rival's";
        }));
        List<BatchResult<String>> answers = Batch.inOneTransaction(operation(0))
                .executeAll(attempts, (handle, leading) -> {
                    if (runs.getAndIncrement() == 0) {
                        new Thread(rival, "rival").start();
                        assertThat(answerOf(rival)).isInstanceOf(Outcome.Executed.class);
                    }
                    leading.forEach(attempt -> insertEffect(handle, "batch's"));
                    return leading.stream().map(attempt -> "batch's").toList();
                });
        assertThat(runs).hasValueGreaterThan(1);
        assertThat(answers.get(0).orElseThrow().orElseThrow()).isEqualTo("rival's");
        assertThat(answers.get(1).orElseThrow().orElseThrow()).isEqualTo("batch's");
        assertThat(effects()).isEqualTo(2);
    }
}
