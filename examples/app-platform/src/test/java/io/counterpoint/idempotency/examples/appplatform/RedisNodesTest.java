package io.counterpoint.idempotency.examples.appplatform;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.counterpoint.idempotency.examples.appplatform.http.Client;
import io.counterpoint.idempotency.examples.appplatform.http.Client.Answer;
import io.counterpoint.idempotency.examples.appplatform.http.Client.Request;
import io.counterpoint.idempotency.programs.DatabaseAddress;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.RedisClient;

/** Nodes of the platform that share a real Redis, which dies in the middle of the load. */
@Tag("redis")
class RedisNodesTest {

    private static final int APPS = 60;

    private static final Platform.Times NEVER =
            new Platform.Times(Duration.ofHours(1), Duration.ofMinutes(1), Duration.ofHours(1));

    private static long listeners(RedisClient redis) {
        return (Long)
                redis.eval("return redis.call('PUBSUB', 'NUMSUB', ARGV[1])[2]", List.of(), List.of("cache:invalidate"));
    }

    private static Request create(int i) {
        return new Request("/apps", 1, List.of("Idempotency-Key", "\"app-" + i + "\""), Map.of("name", "app " + i));
    }

    private static Request publish(UUID app) {
        return new Request("/publications", 1, List.of(), Map.of("app", app));
    }

    /** Requires that a reader sees the version that was written, or a later one. */
    private static void read(Client client, String url, UUID app, long atLeast, Queue<String> wrong) {
        try {
            long version = client.get(url + "/apps/" + app, 1, List.of())
                    .path("version")
                    .asLong();
            if (version < atLeast) {
                wrong.add("written was " + atLeast + ", got " + version);
            }
        } catch (Exception failed) {
            wrong.add(failed.toString());
        }
    }

    @Test
    @Timeout(300)
    void killedRedisFailsNoRequestAndLosesNothing() throws Exception {
        try (RedisFixture redis = RedisFixture.start();
                RedisClient client = redis.client();
                TestPlatform test = TestPlatform.empty(redis.outside());
                PlatformDatabase connections = PlatformDatabase.connect(test.address);
                Platform other = new Platform(connections, redis.outside(), NEVER, step -> {}, line -> {});
                Api api = new Api(other, 0, Operator.none(), line -> {})) {
            other.start();
            TestPlatform.await(() -> listeners(client) == 2);
            List<String> nodes = List.of(test.url(), api.url());
            Map<UUID, Long> written = new ConcurrentHashMap<>();
            Queue<String> wrong = new ConcurrentLinkedQueue<>();
            AtomicBoolean ended = new AtomicBoolean();
            AtomicInteger reads = new AtomicInteger();
            List<CompletableFuture<Void>> readers = IntStream.range(0, 4)
                    .mapToObj(reader -> CompletableFuture.runAsync(() -> {
                        for (int i = reader; !ended.get(); i++) {
                            String node = nodes.get(i % 2);
                            written.forEach((app, version) -> {
                                read(test.client, node, app, version, wrong);
                                reads.incrementAndGet();
                            });
                        }
                    }))
                    .toList();
            AtomicInteger created = new AtomicInteger();
            CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
                for (int i = 0; i < APPS; i++) {
                    try {
                        String node = nodes.get(i % 2);
                        Answer answer = test.client.send(node, create(i));
                        UUID app = UUID.fromString(answer.body().path("app").asText());
                        written.put(app, 1L);
                        Answer published = test.client.send(nodes.get((i + 1) % 2), publish(app));
                        assertThat(published.again()).as("asked again").isZero();
                        written.put(app, 3L);
                        created.incrementAndGet();
                    } catch (Exception failed) {
                        wrong.add(failed.toString());
                    }
                }
            });
            TestPlatform.await(() -> created.get() >= APPS / 4 || writer.isDone());
            redis.kill();
            int whenKilled = created.get();
            int readWhenKilled = reads.get();
            TestPlatform.await(() -> created.get() >= APPS / 2 || writer.isDone());
            assertThat(created.get()).as("written without Redis").isGreaterThan(whenKilled);
            assertThat(reads.get()).as("read without Redis").isGreaterThan(readWhenKilled);
            redis.restart();
            TestPlatform.await(() -> created.get() >= APPS * 3 / 4 || writer.isDone());
            redis.kill();
            redis.restart();
            writer.join();
            long end = System.nanoTime();
            ended.set(true);
            readers.forEach(CompletableFuture::join);
            assertThat(wrong).isEmpty();

            assertThat(test.count("app WHERE status = 'published'")).isEqualTo(APPS);
            assertThat(test.count("app_policy")).isEqualTo(APPS);
            // Each node's cache shows the last version of each app, before its entries would expire.
            for (Platform node : List.of(test.platform, other)) {
                written.forEach((app, version) -> TestPlatform.await(
                        () -> node.cache.get(app.toString()).orElseThrow().version() == version));
            }
            assertThat(Duration.ofNanos(System.nanoTime() - end)).isLessThan(ShownApps.BOUND.lag());
            System.out.println("reads: " + reads + ", while Redis was killed twice");
        }
    }

    /** Uses the node that the command starts. */
    @Test
    @Timeout(300)
    void nodeOfTheCommandListensAndNobodySaysThePassword() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        CountDownLatch stop = new CountDownLatch(1);
        DatabaseAddress database = new DatabaseAddress(PostgresServer.shared().createDatabase(), "", "");
        try (RedisFixture redis = RedisFixture.start("--requirepass", "secret-word")) {
            String url = redis.url().replace("redis://", "redis://:secret-word@");
            List<String> arguments = new ArrayList<>(List.of("serve", "--port", "0"));
            arguments.addAll(List.of("--jdbc-url", database.url(), "--redis-url", url));
            CompletableFuture<Integer> exitCode = CompletableFuture.supplyAsync(() -> AppPlatform.run(
                    arguments.toArray(new String[0]),
                    new PrintStream(out, true, UTF_8),
                    new PrintStream(err, true, UTF_8),
                    stop));
            try (RedisClient client = RedisClient.create(url)) {
                TestPlatform.await(() -> out.toString(UTF_8).contains("Listening on") || exitCode.isDone());
                TestPlatform.await(() -> listeners(client) == 1 || exitCode.isDone());
            }
            stop.countDown();
            assertThat(exitCode.join()).as(err.toString(UTF_8)).isZero();
            assertThat(out.toString(UTF_8))
                    .contains("Redis carries invalidations, at " + redis.url().substring("redis://".length()) + ".");
            assertThat(out.toString(UTF_8) + err.toString(UTF_8)).doesNotContain("secret-word");
        } finally {
            PostgresServer.shared().giveBack(database.url());
        }
    }

    @Test
    @Timeout(300)
    void tourKeepsEveryPromiseOverRedis() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        String database = PostgresServer.shared().createDatabase();
        try (RedisFixture redis = RedisFixture.start();
                RedisClient client = redis.client()) {
            int unused = AppPlatform.run(
                    new String[] {"tour", "--json", "--jdbc-url", database, "--redis-url", redis.url()},
                    new PrintStream(out, true, UTF_8),
                    System.err,
                    new CountDownLatch(1));
            JsonNode report = new ObjectMapper().readTree(out.toString(UTF_8));
            assertThat(report.path("promises"))
                    .hasSizeGreaterThan(30)
                    .allMatch(promise -> promise.path("expected").equals(promise.path("found")));
            assertThat(client.info("commandstats")).contains("cmdstat_publish", "cmdstat_subscribe");
        } finally {
            PostgresServer.shared().giveBack(database);
        }
    }
}
