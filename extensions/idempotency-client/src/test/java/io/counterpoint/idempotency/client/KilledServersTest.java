package io.counterpoint.idempotency.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.client.ClientKeys.Unfinished;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.testing.PostgresServer;
import io.counterpoint.idempotency.testing.Race;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Clients send payments to a server that is killed again and again, in the middle of a request. The effects are counted in
 * the server's table.
 */
@Tag("thorough")
class KilledServersTest {

    private static final int CLIENTS = 8;
    private static final List<ServerProcess.Place> PLACES = List.of(
            ServerProcess.Place.AFTER_THE_COMMIT,
            ServerProcess.Place.BEFORE_THE_COMMIT,
            ServerProcess.Place.BEFORE_THE_EFFECT);
    private static final int REPORTED = 10;
    private static final Duration BOUND = Duration.ofHours(2);

    /** What the clients saw. */
    private static final class Seen {
        final AtomicInteger succeeded = new AtomicInteger();
        final AtomicInteger replayed = new AtomicInteger();
        final AtomicInteger failed = new AtomicInteger();
        final AtomicInteger givenUp = new AtomicInteger();
        final AtomicInteger retries = new AtomicInteger();
    }

    /** A server in another process. */
    private record Server(Process process, BufferedReader output, int port) implements AutoCloseable {

        static Server start(String url, ServerProcess.Place place, int after) {
            List<String> command = List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xshare:auto",
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+UseSerialGC",
                    "-Xmx128m",
                    "-cp",
                    System.getProperty("java.class.path"),
                    ServerProcess.class.getName(),
                    url,
                    place.name(),
                    Integer.toString(after));
            try {
                Process process = new ProcessBuilder(command)
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
                BufferedReader output =
                        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
                return new Server(process, output, Integer.parseInt(output.readLine()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** Waits until a request stays where it is to be killed. */
        void awaitDoom() {
            try {
                assertThat(output.readLine()).isEqualTo(ServerProcess.KILL_ME);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() {
            process.destroyForcibly().onExit().join();
        }
    }

    @Test
    void twoKillsLeaveOneEffectForEachCall() {
        run(2, 200, 1);
    }

    @Test
    @Tag("matrix")
    @Timeout(value = 2, unit = TimeUnit.HOURS)
    void manyKillsLeaveOneEffectForEachCall() {
        run(Integer.getInteger("kills", 100), Integer.getInteger("keys", 10_000), Long.getLong("seed", 1));
    }

    private static void run(int kills, int calls, long seed) {
        long start = System.nanoTime();
        String url = PostgresServer.shared().createDatabase();
        String clientUrl = PostgresServer.shared().createDatabase();
        Jdbi jdbi = Jdbi.create(url);
        JdbiIdempotencyStore unused = JdbiIdempotencyStore.on(jdbi).createTableIfMissing();
        jdbi.useHandle(handle -> handle.execute("CREATE TABLE payment (name varchar(100) NOT NULL)"));
        Seen seen = new Seen();
        Map<ServerProcess.Place, Integer> killedAt = new EnumMap<>(ServerProcess.Place.class);
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(clientUrl);
        config.setMaximumPoolSize(CLIENTS);
        try (HikariDataSource pool = new HikariDataSource(config);
                HttpProxy proxy = new HttpProxy(0)) {
            Jdbi.create(pool).useHandle(handle -> handle.execute(ClientKeysTest.table()));
            ClientKeys keys = ClientKeys.in(pool);
            Kills plan = new Kills(url, kills, calls, new Random(seed), killedAt);
            Server first = plan.next();
            proxy.leadTo(first.port());
            CompletableFuture<Server> killing = CompletableFuture.supplyAsync(
                    () -> plan.run(first, proxy), task -> new Thread(task, "killer").start());
            Race.of(CLIENTS, BOUND, client -> {
                        IdempotentHttpClient http = client(seen);
                        for (int call = client; call < calls; call += CLIENTS) {
                            send(http, keys, proxy, "payment-" + call, seen);
                        }
                        return null;
                    })
                    .forEach(Race.Result::orFail);
            goOn(keys, proxy, seen, killing);
            killing.join().close();
            assertThat(keys.unfinished(1)).isEmpty();
        }
        long effects = count(jdbi, "SELECT count(*) FROM payment");
        long distinct = count(jdbi, "SELECT count(DISTINCT name) FROM payment");
        System.out.printf(
                "Killed servers: %d kills %s, %d keys, %d retries,"
                        + " %d replays, %d failed attempts begun again, %d results not definite gone on with;"
                        + " %d effects of %d calls, %d lost, %d more than once; seed %d, %d s.%n",
                kills,
                killedAt,
                calls,
                seen.retries.get(),
                seen.replayed.get(),
                seen.failed.get(),
                seen.givenUp.get(),
                effects,
                distinct,
                calls - distinct,
                effects - distinct,
                seed,
                (System.nanoTime() - start) / 1_000_000_000);
        PostgresServer.shared().giveBack(url);
        PostgresServer.shared().giveBack(clientUrl);
        assertThat(effects).isEqualTo(calls);
        assertThat(distinct).isEqualTo(calls);
        assertThat(seen.succeeded).hasValue(calls);
        assertThat(killedAt.values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(kills);
    }

    private static long count(Jdbi jdbi, String query) {
        return jdbi.withHandle(
                handle -> handle.createQuery(query).mapTo(Long.class).one());
    }

    /** Which servers are killed where. */
    private static final class Kills {
        private final String url;
        private final int kills;
        private final int share;
        private final Random random;
        private final Map<ServerProcess.Place, Integer> killedAt;
        private int started;

        Kills(String url, int kills, int calls, Random random, Map<ServerProcess.Place, Integer> killedAt) {
            this.url = url;
            this.kills = kills;
            this.random = random;
            this.killedAt = killedAt;
            // So many that calls are left for the last server.
            this.share = Math.max(1, calls * 3 / 2 / (kills + 1));
        }

        Server next() {
            if (started == kills) {
                return Server.start(url, ServerProcess.Place.NOWHERE, 0);
            }
            ServerProcess.Place place = PLACES.get(started % PLACES.size());
            started++;
            killedAt.merge(place, 1, Integer::sum);
            return Server.start(url, place, random.nextInt(share));
        }

        /** One server after another; the next one starts while the last one works. Returns the one that stays. */
        Server run(Server first, HttpProxy proxy) {
            Server server = first;
            for (int killed = 0; killed < kills; killed++) {
                Server successor = next();
                server.awaitDoom();
                server.close();
                proxy.leadTo(successor.port());
                server = successor;
                if ((killed + 1) % REPORTED == 0) {
                    System.out.printf("%d of %d kills%n", killed + 1, kills);
                }
            }
            return server;
        }
    }

    private static IdempotentHttpClient client(Seen seen) {
        CallSettings settings = CallSettings.builder()
                .sleeper(pause -> {
                    seen.retries.incrementAndGet();
                    TimeUnit.NANOSECONDS.sleep(pause.toNanos());
                })
                .backoff(Duration.ofMillis(5), Duration.ofMillis(500))
                .build();
        return IdempotentHttpClient.over(
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build(), settings);
    }

    private static void send(IdempotentHttpClient http, ClientKeys keys, HttpProxy proxy, String callId, Seen seen) {
        HttpRequest request = HttpRequest.newBuilder(proxy.uri("/payments"))
                .POST(BodyPublishers.ofString(callId))
                .build();
        CallResult<HttpResponse<String>> result = http.send(keys, callId, request, BodyHandlers.ofString());
        if (result instanceof CallResult.Failed<?>) {
            // Without effect, so a new key is safe.
            seen.failed.incrementAndGet();
            assertThat(keys.remove(callId, result.key())).isTrue();
            send(http, keys, proxy, callId, seen);
        } else if (result instanceof CallResult.Succeeded<HttpResponse<String>> succeeded) {
            assertThat(succeeded.response().body()).isEqualTo("paid " + callId);
            seen.succeeded.incrementAndGet();
            if (succeeded.replayed()) {
                seen.replayed.incrementAndGet();
            }
        } else {
            assertThat(result.isDefinite()).isFalse();
            seen.givenUp.incrementAndGet();
        }
    }

    /** As a client does after a restart, until nothing is left. */
    private static void goOn(ClientKeys keys, HttpProxy proxy, Seen seen, CompletableFuture<?> killing) {
        IdempotentHttpClient http = client(seen);
        List<Unfinished> left = keys.unfinished(100);
        while (!left.isEmpty()) {
            assertThat(killing.isCompletedExceptionally()
                            || Thread.currentThread().isInterrupted())
                    .isFalse();
            left.forEach(call -> send(http, keys, proxy, call.callId(), seen));
            left = keys.unfinished(100);
        }
    }
}
