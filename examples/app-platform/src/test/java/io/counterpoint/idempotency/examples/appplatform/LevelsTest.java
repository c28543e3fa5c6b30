package io.counterpoint.idempotency.examples.appplatform;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.counterpoint.idempotency.IdempotencyClock;
import io.counterpoint.idempotency.consistency.invalidation.VersionedCache;
import io.counterpoint.idempotency.examples.appplatform.ShownApps.App;
import io.counterpoint.idempotency.examples.appplatform.http.Client.Request;
import java.net.CookieManager;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two nodes that receive no events until the test allows it, so their caches lag as far as they may. */
@Tag("thorough")
class LevelsTest {

    private static final int APPS = 20;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final HttpClient session =
            HttpClient.newBuilder().cookieHandler(new CookieManager()).build();
    private final HttpClient stranger = HttpClient.newHttpClient();
    private final List<String> log = new CopyOnWriteArrayList<>();
    private TestPlatform test;
    private Platform other;
    private Api api;
    private List<String> nodes;
    private int sent;

    @BeforeEach
    void open() throws Exception {
        test = TestPlatform.idle();
        other = new Platform(
                test.database,
                TestPlatform.outside(),
                new Platform.Times(Duration.ofHours(1), Duration.ofMinutes(1), Duration.ofHours(1)),
                step -> {},
                log::add);
        api = new Api(other, 0, Operator.none(), line -> {});
        nodes = List.of(test.url(), api.url());
    }

    @AfterEach
    void close() {
        api.close();
        other.close();
        test.close();
    }

    private static HttpResponse<String> send(HttpClient client, HttpRequest.Builder request) throws Exception {
        HttpResponse<String> answer =
                client.send(request.header("Workspace", "1").build(), BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isLessThan(300);
        return answer;
    }

    private HttpResponse<String> post(String node, String path, String body) throws Exception {
        return send(
                session,
                HttpRequest.newBuilder(URI.create(node + path))
                        .header("Idempotency-Key", UUID.randomUUID().toString())
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString(body)));
    }

    /** The session's requests alternate between the nodes. */
    private String nextNode() {
        return nodes.get(sent++ % 2);
    }

    private String create(String node) throws Exception {
        return MAPPER.readTree(post(node, "/apps", "{\"name\":\"app\"}").body())
                .path("app")
                .asText();
    }

    private static long version(HttpClient client, String node, String path, String app) throws Exception {
        JsonNode read = MAPPER.readTree(send(client, HttpRequest.newBuilder(URI.create(node + path + app)))
                .body());
        return read.path("version").asLong();
    }

    /** The session's requests alternate between the nodes. A stranger is a client outside the session. */
    @Test
    void sessionReadsItsWritesAtOnceAtEveryNodeAndStrongReadsDoSoForEverybody() throws Exception {
        List<String> stale = new ArrayList<>();
        long slowest = 0;
        for (int i = 0; i < APPS; i++) {
            boolean isStrong = i % 2 == 0;
            String app = create(isStrong ? test.url() : nextNode());
            assertCatalogShowsFirstVersion(app);
            HttpResponse<String> written = post(nextNode(), "/publications", "{\"app\":\"" + app + "\"}");
            assertThat(written.headers().firstValue("Set-Cookie").orElseThrow())
                    .contains("HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=35");
            assertCatalogShowsFirstVersion(app);
            for (String node : nodes) {
                long begin = System.nanoTime();
                long read = isStrong
                        ? version(stranger, node, "/apps/", app)
                        : version(session, nextNode(), "/catalog/", app);
                slowest = Math.max(slowest, System.nanoTime() - begin);
                if (read != 3) {
                    stale.add((isStrong ? "strong: " : "session: ") + read);
                }
            }
        }
        System.out.printf(
                "%d reads, of which stale: %d; the slowest took %d ms%n", 2 * APPS, stale.size(), slowest / 1_000_000);
        assertThat(stale).isEmpty();
    }

    @Test
    void triesOfOneKeyAtDifferentNodesMakeOneApp() throws Exception {
        Request request = new Request("/apps", 1, List.of("Idempotency-Key", "one"), Map.of("name", "app"));
        assertThat(nodes)
                .extracting(node -> test.client.send(node, request).replayed())
                .containsExactly(false, true);
        assertThat(test.count("app")).isOne();
    }

    @Test
    void answerThatIsAnErrorMarksTheSessionToo() throws Exception {
        Raw answer = Raw.send(
                test.url(), "POST", "/publications", "{\"app\":\"" + UUID.randomUUID() + "\"}", "Workspace: 1");
        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.text()).contains("Set-Cookie: read-your-writes=1;");
    }

    /** Strangers see the first version at both nodes, because the caches have received no event. */
    private void assertCatalogShowsFirstVersion(String app) throws Exception {
        for (String node : nodes) {
            assertThat(version(stranger, node, "/catalog/", app)).isEqualTo(1);
        }
    }

    /** Either node may take the event of a change; the channel then invalidates the other node's cache. */
    @Test
    void strangersReadAChangeOnceAnyNodeHasTakenItsEvent() throws Exception {
        List<Platform> started = List.of(test.platform, other);
        started.forEach(Platform::start);
        TestPlatform.await(() -> log.contains("invalidations: listening"));
        long begin = System.nanoTime();
        List<String> apps = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            apps.add(create(test.url()));
        }
        TestPlatform.await(other::isQuiet);
        for (String app : apps) {
            for (Platform node : started) {
                assertThat(node.cache.get(app).orElseThrow().version()).isEqualTo(1);
            }
        }
        for (String app : apps) {
            HttpResponse<String> unused = post(test.url(), "/publications", "{\"app\":\"" + app + "\"}");
        }
        for (String app : apps) {
            for (Platform node : started) {
                TestPlatform.await(() -> node.cache.get(app).orElseThrow().version() == 3);
            }
        }
        assertThat(Duration.ofNanos(System.nanoTime() - begin))
                .as("after its bound an entry is read again in any case")
                .isLessThan(ShownApps.BOUND.lag());
    }

    @Test
    void changeThatANodeMissesIsShownAfterThirtySeconds() throws Exception {
        Instant[] now = {Instant.EPOCH};
        VersionedCache<App> cache = other.apps.cache().with(new IdempotencyClock() {
            @Override
            public Instant now() {
                return now[0];
            }

            @Override
            public void sleep(Duration pause) {
                throw new AssertionError("A cache does not wait.");
            }
        });
        String app = create(test.url());
        assertThat(cache.get(app).orElseThrow().version()).isEqualTo(1);
        HttpResponse<String> unused = post(test.url(), "/publications", "{\"app\":\"" + app + "\"}");
        now[0] = now[0].plusSeconds(30).minusNanos(1);
        assertThat(cache.get(app).orElseThrow().version()).isEqualTo(1);
        now[0] = now[0].plusNanos(1);
        assertThat(cache.get(app).orElseThrow().version()).isEqualTo(3);
    }
}
