package io.counterpoint.idempotency.mariadb;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.testing.MariaDbServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The server is killed while callers work. What was answered stands, and each key has one effect in the end. */
@Tag("thorough")
@Timeout(300)
class KilledServerTest {

    private static final int CALLERS = 4;

    private final AtomicInteger next = new AtomicInteger();
    private final Map<String, String> told = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<String> asked = new ConcurrentLinkedQueue<>();

    @Test
    void whatWasAnsweredBeforeTheServerWasKilledStands() throws Exception {
        kill(1, 40);
    }

    @Test
    @Tag("matrix")
    void whatWasAnsweredBeforeTheServerWasKilledManyTimesStands() throws Exception {
        kill(30, 100);
    }

    private void kill(int times, int answersBetween) throws Exception {
        if (MariaDbServer.isExternal()) {
            return;
        }
        try (MariaDbServer server = MariaDbServer.start()) {
            Jdbi jdbi = Jdbi.create(server.createDatabase());
            JdbiIdempotencyStore store = JdbiIdempotencyStore.builder(jdbi)
                    .dialect(TestPool.dialect())
                    .build()
                    .createTableIfMissing();
            jdbi.useHandle(handle ->
                    handle.execute("CREATE TABLE effect (id varchar(100) NOT NULL, result varchar(100) NOT NULL)"));
            for (int i = 0; i < times; i++) {
                round(server, store, answersBetween);
            }
            for (String value : asked) {
                assertThat(told.computeIfAbsent(value, unanswered -> call(store, value)))
                        .isEqualTo(call(store, value));
            }
            Map<String, String> effects = new TreeMap<>();
            int count = jdbi.withHandle(handle -> handle.createQuery("SELECT id, result FROM effect")
                    .map((row, context) -> effects.put(row.getString(1), row.getString(2)))
                    .list()
                    .size());
            assertThat(effects).isEqualTo(new TreeMap<>(told)).hasSize(count);
            System.out.printf("%s was killed %d times: %d keys, one effect each.%n", server, times, count);
        }
    }

    /** Callers ask for new keys until the server is killed, and the server is started again. */
    private void round(MariaDbServer server, JdbiIdempotencyStore store, int answers) throws InterruptedException {
        CountDownLatch enough = new CountDownLatch(answers);
        AtomicBoolean killed = new AtomicBoolean();
        List<Thread> callers = new ArrayList<>();
        for (int i = 0; i < CALLERS; i++) {
            Thread caller = new Thread(() -> {
                while (!killed.get()) {
                    String value = "key-" + next.incrementAndGet();
                    asked.add(value);
                    try {
                        told.put(value, call(store, value));
                        enough.countDown();
                    } catch (IdempotencyException unanswered) {
                        killed.set(true);
                    }
                }
            });
            caller.start();
            callers.add(caller);
        }
        enough.await();
        server.kill();
        for (Thread caller : callers) {
            caller.join();
        }
        server.restart();
    }

    private static String call(JdbiIdempotencyStore store, String value) {
        int number = Integer.parseInt(value.substring("key-".length()));
        Operation.Builder<Handle, String> builder = Idempotency.on(store)
                .operation("operate", ResultCodec.string())
                .settleWithin(Duration.ofMillis(100))
                .maxRetries(1)
                .whenAbandoned(Operation.Abandoned.TAKE_OVER, Duration.ofNanos(1));
        if (number % 4 < 2) {
            builder.protocol(Operation.Protocol.SINGLE_TRANSACTION);
        }
        Attempt attempt = Attempt.inScope("user:1").key(value).request("request");
        Outcome<String> outcome = number % 2 == 0
                ? builder.planned()
                        .build()
                        .execute(
                                attempt,
                                () -> UUID.randomUUID().toString(),
                                (handle, result) -> handle.execute("INSERT INTO effect VALUES (?, ?)", value, result))
                : builder.build().execute(attempt, handle -> {
                    String result = UUID.randomUUID().toString();
                    handle.execute("INSERT INTO effect VALUES (?, ?)", value, result);
                    return result;
                });
        return outcome.orElseThrow();
    }
}
