package io.counterpoint.idempotency.examples.groupcreation.breaker;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.examples.groupcreation.CreateGroupRequest;
import io.counterpoint.idempotency.examples.groupcreation.breaker.Answer.Kind;
import io.counterpoint.idempotency.examples.groupcreation.breaker.Clients.Sent;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ClientsTest {

    private static final PrintStream NOWHERE =
            new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8);

    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicBoolean stopped = new AtomicBoolean();

    @Test
    void clientsAskAgainUntilTheyGetAnAnswer() throws Exception {
        Clients clients = new Clients(
                1,
                request -> switch (asked.incrementAndGet()) {
                    case 1 -> throw new IllegalStateException("lost");
                    case 2, 3 -> Answer.without(Kind.IN_PROGRESS, "");
                    default -> Answer.without(Kind.REJECTED, "no");
                },
                NOWHERE,
                stopped);

        assertThat(clients.send("sending", requests(1)))
                .containsExactly(new Sent(requests(1).get(0), Answer.without(Kind.REJECTED, "no"), 3));
    }

    @Test
    void clientsThatAreStoppedFinishTheRequestTheyAreAt() throws Exception {
        Clients clients = new Clients(
                1,
                request -> {
                    stopped.set(asked.incrementAndGet() == 3);
                    return Answer.without(Kind.REJECTED, "no");
                },
                NOWHERE,
                stopped);

        assertThat(clients.send("sending", requests(10))).hasSize(3);
    }

    private static List<CreateGroupRequest> requests(int number) {
        return IntStream.range(0, number)
                .mapToObj(n -> new CreateGroupRequest("ann", "k" + n, "Chess", List.of()))
                .toList();
    }
}
