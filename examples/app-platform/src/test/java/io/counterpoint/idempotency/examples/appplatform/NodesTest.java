package io.counterpoint.idempotency.examples.appplatform;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.examples.appplatform.Client.Answer;
import io.counterpoint.idempotency.examples.appplatform.Client.Request;
import io.counterpoint.idempotency.examples.appplatform.TestPlatform.On;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two nodes behind a gateway, each a process: one is killed in the middle of everything. SQL counts what is left. */
class NodesTest {

    private static final int APPS = 40;
    private static final int TRIES = 4;
    private static final int CHARGES = 60;
    private static final int AMOUNT = 3;
    private static final int PUBLISHED = 8;

    private TestPlatform test;
    private NodeProcess doomed;
    private NodeProcess other;
    private Gateway gateway;

    @BeforeEach
    void open() throws Exception {
        test = TestPlatform.idle(On.POSTGRESQL);
        doomed = node();
        other = node();
        gateway = new Gateway(List.of(doomed.node(), other.node()), 0);
    }

    private NodeProcess node() throws Exception {
        return NodeProcess.start(
                test.address, test.platform.outside(), "the-token-of-the-operator", Duration.ofSeconds(2), false);
    }

    @AfterEach
    void close() {
        gateway.close();
        doomed.close();
        other.close();
        test.close();
    }

    private static Request create(int i) {
        return new Request("/apps", 1, List.of("Idempotency-Key", "\"app-" + i + "\""), Map.of("name", "app " + i));
    }

    private static Request charge(int i) {
        return new Request("/charges", 1, List.of("Transaction-Id", "t" + i), Map.of("amount", AMOUNT));
    }

    private static Request publish(UUID app) {
        return new Request("/publications", 1, List.of(), Map.of("app", app));
    }

    private List<Answer> send(List<Request> requests) {
        try {
            return test.client.send(gateway.url(), requests);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void killedNodeBreaksNoPromise() throws Exception {
        List<UUID> first = send(IntStream.range(0, PUBLISHED)
                        .mapToObj(NodesTest::create)
                        .toList())
                .stream()
                .map(answer -> UUID.fromString(answer.body().path("app").asText()))
                .toList();
        List<Request> all = new ArrayList<>();
        Stream.of(
                        IntStream.range(0, APPS).mapToObj(NodesTest::create),
                        IntStream.range(0, CHARGES).mapToObj(NodesTest::charge),
                        first.stream().map(NodesTest::publish))
                .flatMap(requests -> requests)
                .forEach(request -> all.addAll(Collections.nCopies(TRIES, request)));
        Collections.shuffle(all, new Random(7));
        CompletableFuture<List<Answer>> answers = CompletableFuture.supplyAsync(() -> send(all));
        TestPlatform.await(() -> test.count("charge") >= CHARGES / 4 || answers.isDone());
        assertThat(answers).as("it is in the middle of everything").isNotDone();
        int before = gateway.handed().get(0);
        doomed.kill();
        assertThat(answers.join())
                .as("what a client learns once it has asked often enough")
                .allMatch(answer -> answer.isThere() || answer.status() == 402);
        TestPlatform.await(() -> test.count("app WHERE status = 'publishing'") == 0
                && test.count("charge WHERE status = 'reserved'") == 0);

        assertThat(test.count("app")).isEqualTo(APPS);
        assertThat(test.count("app a WHERE (SELECT count(*) FROM app_version v WHERE v.app_id = a.id) = 1"))
                .isEqualTo(APPS);
        assertThat(test.count("app_by_user")).isEqualTo(APPS);
        assertThat(test.count("app WHERE status = 'published'")).isEqualTo(PUBLISHED);
        assertThat(test.count("app_policy")).isEqualTo(PUBLISHED);
        assertThat(test.count("charge WHERE status = 'paid'")).isEqualTo(150 / AMOUNT);
        assertThat(test.one("SELECT quota_left FROM workspace")).isEqualTo("0");
        assertThat(test.platform.outside().payments().count()).isEqualTo(150 / AMOUNT);
        assertThat(gateway.handed()).as("requests that each node got").allMatch(requests -> requests > PUBLISHED);
        System.out.println("requests to each node: " + gateway.handed() + ", the first was killed after " + before
                + "; asked again: "
                + answers.join().stream().mapToInt(Answer::again).sum());
    }

    @Test
    void triesOfOneKeyReachDifferentNodes() throws Exception {
        List<Integer> before = gateway.handed();
        List<Answer> answers =
                List.of(test.client.send(gateway.url(), create(1)), test.client.send(gateway.url(), create(1)));
        assertThat(answers).extracting(Answer::replayed).containsExactly(false, true);
        assertThat(gateway.handed()).isEqualTo(before.stream().map(n -> n + 1).toList());
        assertThat(test.count("app")).isOne();
    }
}
