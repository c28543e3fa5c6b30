package io.counterpoint.idempotency.examples.appplatform;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.examples.appplatform.Client.Answer;
import io.counterpoint.idempotency.examples.appplatform.Client.Request;
import io.counterpoint.idempotency.programs.process.JavaProgram;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Nodes behind a gateway, two of them processes: one is killed in the middle of everything. SQL counts what is left. */
@Tag("thorough")
class NodesTest {

    private static final int APPS = 40;
    private static final int TRIES = 4;
    private static final int CHARGES = 60;
    private static final int AMOUNT = 3;
    private static final int PUBLISHED = 8;

    private TestPlatform test;
    private Nodes nodes;

    @BeforeEach
    void open() throws Exception {
        test = TestPlatform.idle();
        JavaProgram node = NodeMain.program(
                test.address, test.platform.outside, "the-token-of-the-operator", Duration.ofSeconds(2), false);
        nodes = Nodes.start(3, 0, test.url(), node, System.out::println);
    }

    @AfterEach
    void close() {
        nodes.close();
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
            return test.client.send(nodes.url(), requests);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** The last quarter is not sent before that, however slow the killer is. */
    private List<Answer> send(List<Request> requests, CountDownLatch killed) {
        int most = requests.size() * 3 / 4;
        List<Answer> answers = new ArrayList<>(send(requests.subList(0, most)));
        try {
            killed.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        answers.addAll(send(requests.subList(most, requests.size())));
        return answers;
    }

    @Test
    void killedNodeBreaksNoPromiseAndIsReplaced() throws Exception {
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
        Map<Long, String> before = nodes.others();
        long doomed = before.keySet().iterator().next();
        CountDownLatch killed = new CountDownLatch(1);
        CompletableFuture<List<Answer>> answers = CompletableFuture.supplyAsync(() -> send(all, killed));
        TestPlatform.await(() -> test.count("charge") >= CHARGES / 4 || answers.isDone());
        assertThat(answers).as("it is in the middle of everything").isNotDone();
        assertThat(nodes.kill(doomed)).isTrue();
        killed.countDown();
        assertThat(answers.join())
                .as("what a client learns once it has asked often enough")
                .allMatch(answer -> answer.isThere() || answer.status() == 402);
        assertThat(nodes.await(now -> now.size() == before.size() && !now.containsKey(doomed), Duration.ofMinutes(1)))
                .as("another one takes its place")
                .isTrue();
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
        assertThat(test.platform.outside.payments().count()).isEqualTo(150 / AMOUNT);
        assertThat(nodes.handed().keySet()).contains(test.url()).containsAll(before.values());
        assertReplacementAnswers(before, doomed);
        List<ProcessHandle> processes = nodes.others().keySet().stream()
                .flatMap(pid -> ProcessHandle.of(pid).stream())
                .toList();
        nodes.close();
        assertThat(processes).as("closed nodes").hasSize(2).noneMatch(ProcessHandle::isAlive);
        System.out.println("requests to each node: " + nodes.handed() + "; asked again: "
                + answers.join().stream().mapToInt(Answer::again).sum());
    }

    /** The gateway takes the new node in, and asks the dead one no more. */
    private void assertReplacementAnswers(Map<Long, String> before, long doomed) {
        Map<Long, String> now = nodes.others();
        String replacement = now.entrySet().stream()
                .filter(node -> !before.containsKey(node.getKey()))
                .map(Map.Entry::getValue)
                .findAny()
                .orElseThrow();
        Map<String, Integer> handed = nodes.handed();
        assertThat(send(IntStream.range(0, 30).mapToObj(i -> create(i % APPS)).toList()))
                .allMatch(Answer::replayed)
                .allMatch(answer -> answer.again() == 0);
        assertThat(nodes.handed().get(replacement) - handed.getOrDefault(replacement, 0))
                .as("requests to the replacement")
                .isEqualTo(10);
        assertThat(nodes.handed().get(before.get(doomed)))
                .as("requests to the dead node")
                .isEqualTo(handed.get(before.get(doomed)));
        assertThat(nodes.replaced()).isOne();
        assertThat(ProcessHandle.of(doomed)).isEmpty();
    }

    /** Both nodes have schedules of their own, and the one in this process has none. */
    @Test
    void nodesLookAfterWhatIsAbandoned() throws Exception {
        UUID app = UUID.fromString(
                test.client.send(test.url(), create(1)).body().path("app").asText());
        test.execute("UPDATE app SET status = 'publishing', publisher = '" + UUID.randomUUID()
                + "', publishing_since = CURRENT_TIMESTAMP - INTERVAL '2' HOUR");
        TestPlatform.await(() -> test.count("app WHERE status = 'published'") == 1);
        assertThat(test.count("app_policy WHERE app_id = '" + app + "'")).isOne();
    }

    @Test
    void triesOfOneKeyReachDifferentNodes() throws Exception {
        List<Answer> answers =
                List.of(test.client.send(nodes.url(), create(1)), test.client.send(nodes.url(), create(1)));
        assertThat(answers).extracting(Answer::replayed).containsExactly(false, true);
        assertThat(nodes.handed()).hasSize(2).containsEntry(test.url(), 1);
        assertThat(test.count("app")).isOne();
    }
}
