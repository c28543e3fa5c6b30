package io.counterpoint.idempotency.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.servlet.Client.Answer;
import jakarta.servlet.AsyncContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How many requests of one scope may be left without an answer. */
class UnresolvedKeysTest {

    private final InMemoryIdempotencyStore store = new InMemoryIdempotencyStore();
    private final FilterManaged style = FilterManaged.storedIn(Idempotency.on(store), "limited")
            .unresolvedAtMost(2)
            .build();
    private final List<String> ran = new CopyOnWriteArrayList<>();
    private final TestServer server = new TestServer()
            .filter(IdempotencyFilter.scopedBy(request -> Optional.of(request.getHeader("Caller")))
                    .elsewhere(RoutePolicy.required().responses(style))
                    .build())
            .handle("/*", (request, response) -> {
                String how = request.getReader().readLine();
                ran.add(how);
                switch (how) {
                    case "fails" -> response.setStatus(500);
                    case "throws" -> throw new IllegalStateException("the handler's own");
                    case "refuses" -> response.setStatus(404);
                    case "fails later" -> {
                        AsyncContext context = request.startAsync();
                        response.setStatus(503);
                        context.start(context::complete);
                    }
                    default -> response.setStatus(201);
                }
            })
            .start();

    @AfterEach
    void stop() {
        server.close();
    }

    private Answer send(String caller, String key, String how) throws Exception {
        return RawExchange.post("/")
                .header("Idempotency-Key", key)
                .header("Caller", caller)
                .header("Content-Type", "text/plain")
                .body(how)
                .send(server.port());
    }

    @Test
    void scopeWithTooManyUnresolvedKeysGetsNoNewOnes() throws Exception {
        assertThat(send("a", "done", "works").status()).isEqualTo(201);
        assertThat(send("a", "refused", "refuses").status()).isEqualTo(404);
        assertThat(send("a", "k1", "fails").status()).isEqualTo(500);
        assertThat(send("a", "k2", "throws").status()).isEqualTo(500);
        ran.clear();

        Answer refused = send("a", "k3", "works");
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.problem()).isEqualTo("too-many-unresolved");
        assertThat(refused.header("Retry-After")).isEqualTo("1");
        assertThat(store.read(IdempotencyKey.inScope("a").operation("limited").value("k3")))
                .isEmpty();
        assertThat(ran).isEmpty();

        assertThat(send("a", "done", "works").replayed()).isTrue();
        assertThat(send("a", "k1", "fails").problem()).isEqualTo("request-outstanding");
        assertThat(send("a", "k3", "works").status()).isEqualTo(429);
        assertThat(send("b", "k3", "works").status()).isEqualTo(201);
    }

    @Test
    @Timeout(60)
    void resolvedKeyMakesRoomForANewOne() throws Exception {
        send("a", "k1", "fails");
        send("a", "k2", "fails later");
        // The asynchronous handler's record ends after its answer.
        int i = 0;
        while (send("a", "k3-" + i, "works").status() != 429) {
            i++;
        }
        style.resolveSucceeded(
                IdempotencyKey.inScope("a").operation("limited").value("k1"),
                StoredResponse.of(201, (String) null, new byte[0]));

        assertThat(send("a", "k4", "works").status()).isEqualTo(201);
        assertThat(send("a", "k1", "fails").replayed()).isTrue();
    }

    @Test
    void keyThatAnotherNodeResolvesMakesRoomWithinAMinute() throws Exception {
        send("a", "k1", "fails");
        send("a", "k2", "fails");
        FilterManaged elsewhere =
                FilterManaged.storedIn(Idempotency.on(store), "limited").build();
        elsewhere.resolveFailed(
                IdempotencyKey.inScope("a").operation("limited").value("k1"), new Failure("not-done", ""));

        assertThat(send("a", "k3", "works").status()).isEqualTo(201);
    }

    @Test
    void fullScopeIsAskedForOnceAMinute() {
        AtomicLong now = new AtomicLong();
        UnresolvedKeys keys = new UnresolvedKeys(2, Duration.ofDays(1), now::get);
        List<IdempotencyKey> asked = new ArrayList<>();
        IdempotencyKey one = IdempotencyKey.inScope("a").operation("limited").value("k1");
        IdempotencyKey two = IdempotencyKey.inScope("a").operation("limited").value("k2");
        IdempotencyKey three = IdempotencyKey.inScope("a").operation("limited").value("k3");
        keys.left(one);
        assertThat(keys.hasRoomFor(two, key -> asked.add(key))).isTrue();
        assertThat(asked).isEmpty();
        keys.left(two);

        assertThat(keys.hasRoomFor(three, key -> asked.add(key))).isFalse();
        assertThat(asked).containsExactly(one, two);
        now.addAndGet(Duration.ofSeconds(59).toNanos());
        assertThat(keys.hasRoomFor(three, key -> false)).isFalse();
        now.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThat(keys.hasRoomFor(three, key -> key.equals(two))).isTrue();
    }

    /** Clients whose faults a service answers with 5xx would leave records without end. */
    @Test
    void thousandKeysOfAScopeMayBeUnresolvedWhereThereIsNoLookup() {
        UnresolvedKeys keys = FilterManaged.storedIn(Idempotency.on(store), "unlimited")
                .build()
                .unresolved();
        UnresolvedKeys lookedUp = FilterManaged.storedIn(
                        Idempotency.on(store), "looked-up", unresolved -> Optional.empty())
                .build()
                .unresolved();
        for (int key = 0; key < 1000; key++) {
            assertThat(keys.hasRoomFor(
                            IdempotencyKey.inScope("a").operation("unlimited").value("next"), any -> true))
                    .isTrue();
            keys.left(IdempotencyKey.inScope("a").operation("unlimited").value("k" + key));
            lookedUp.left(IdempotencyKey.inScope("a").operation("looked-up").value("k" + key));
        }
        assertThat(keys.hasRoomFor(
                        IdempotencyKey.inScope("a").operation("unlimited").value("next"), any -> true))
                .isFalse();
        assertThat(keys.hasRoomFor(
                        IdempotencyKey.inScope("b").operation("unlimited").value("next"), any -> true))
                .isTrue();
        assertThat(lookedUp.hasRoomFor(
                        IdempotencyKey.inScope("a").operation("looked-up").value("next"), any -> true))
                .isTrue();
    }

    @Test
    void limitHasToBePositive() {
        for (int wrong : List.of(0, -1)) {
            assertThatThrownBy(() ->
                            FilterManaged.storedIn(Idempotency.on(store), "x").unresolvedAtMost(wrong))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
