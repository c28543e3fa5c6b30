package io.counterpoint.idempotency.examples.appplatform;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.examples.appplatform.http.Client.Answer;
import io.counterpoint.idempotency.examples.appplatform.http.Client.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Eight clients that create apps. The names begin with the phase in which the request was sent. */
final class CreatingClients implements AutoCloseable {
    private final TestPlatform test;
    private final List<Thread> clients = new ArrayList<>();
    private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private final AtomicInteger created = new AtomicInteger();
    private volatile String phase = "old";
    private volatile boolean closing;

    CreatingClients(TestPlatform test) {
        this.test = test;
        for (int i = 0; i < 8; i++) {
            Thread client = new Thread(this::create, "client " + i);
            clients.add(client);
            client.start();
        }
    }

    private void create() {
        while (!closing) {
            try {
                UUID key = UUID.randomUUID();
                Answer answer = test.client.send(
                        test.url(),
                        new Request(
                                "/apps",
                                1,
                                List.of("Idempotency-Key", "\"" + key + "\""),
                                Map.of("name", phase + " " + key)));
                assertThat(answer.status()).isEqualTo(201);
                created.incrementAndGet();
            } catch (Exception | AssertionError e) {
                failures.add(e);
                return;
            }
        }
    }

    void phase(String next) {
        phase = next;
    }

    void await(int more) {
        int enough = created.get() + more;
        TestPlatform.await(() -> created.get() >= enough || !failures.isEmpty());
    }

    @Override
    public void close() throws InterruptedException {
        closing = true;
        for (Thread client : clients) {
            client.join();
        }
        assertThat(failures).isEmpty();
    }
}
