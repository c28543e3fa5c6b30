package io.counterpoint.idempotency.spring.boot.provider;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.spring.boot.IdempotencyAutoConfiguration;
import io.counterpoint.idempotency.testing.Race;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

/** The recipe for a provider that takes a key, in an application of Spring Boot, while the provider is killed. */
class ProviderTest {

    private static final int CALLERS = 8;
    private static final int CHARGES = 160;
    private static final int KILLS = 4;
    private static final Duration PROVIDER_REMEMBERS = Duration.ofHours(23);

    @TempDir
    private Path folder;

    private final HttpClient http = HttpClient.newHttpClient();
    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicInteger retries = new AtomicInteger();
    private final AtomicInteger failingRows = new AtomicInteger();
    private Process process;
    private int port;

    record Charge(String id, long cents, Instant asked) {

        String print() {
            return id + " " + cents + " " + asked;
        }

        static Charge parse(String text) {
            String[] parts = text.split(" ", -1);
            return new Charge(parts[0], Long.parseLong(parts[1]), Instant.parse(parts[2]));
        }
    }

    private void start() {
        try {
            process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:TieredStopAtLevel=1",
                            "-Xmx64m",
                            "-cp",
                            System.getProperty("java.class.path"),
                            Provider.class.getName(),
                            folder.resolve("charges").toString())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            port = Integer.parseInt(
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))
                            .readLine());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private synchronized void kill() {
        process.destroyForcibly().onExit().join();
        start();
    }

    /** Waits while the provider starts again. */
    private synchronized int port() {
        return port;
    }

    @AfterEach
    void stop() {
        process.destroyForcibly().onExit().join();
    }

    /** What an application has: one request, with the key, and an exception where there is no answer. */
    private void charge(String key, Charge charge) throws IOException, InterruptedException {
        int number = requests.incrementAndGet();
        if (number % (CHARGES / KILLS) == 0 && number <= CHARGES) {
            kill();
        }
        HttpResponse<Void> response = http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + "/charges"))
                        .timeout(Duration.ofSeconds(20))
                        .header("Idempotency-Key", key)
                        .POST(BodyPublishers.ofString(Long.toString(charge.cents())))
                        .build(),
                BodyHandlers.discarding());
        if (response.statusCode() != 200) {
            throw new IOException("The provider answered " + response.statusCode() + ".");
        }
    }

    /** The request, and then the application's own row, if it is missing. */
    private void charge(ApplicationContext context, IdempotencyKey key, Charge charge)
            throws IOException, InterruptedException {
        charge(key.hash(), charge);
        if (failingRows.getAndUpdate(rows -> Math.max(0, rows - 1)) > 0) {
            throw new IllegalStateException("The row cannot be written now.");
        }
        new JdbcTemplate(context.getBean(DataSource.class))
                .update("MERGE INTO charge (id, cents) VALUES (?, ?)", charge.id(), charge.cents());
    }

    private ExternalOperation<Charge> operation(ApplicationContext context) {
        Idempotency<?> idempotency = context.getBean(Idempotency.class);
        return idempotency
                .external("charge", ResultCodec.text(Charge::print, Charge::parse), unresolved -> {
                    Charge planned = unresolved.plan().orElseThrow();
                    if (planned.asked().plus(PROVIDER_REMEMBERS).isBefore(Instant.now())) {
                        return Lookup.notYet();
                    }
                    charge(context, unresolved.key(), planned);
                    return Lookup.found(planned);
                })
                .waitAtMost(Duration.ofSeconds(1))
                .build();
    }

    private Outcome<Charge> pay(ApplicationContext context, ExternalOperation<Charge> operation, String id)
            throws Exception {
        while (true) {
            try {
                Outcome<Charge> outcome = operation.executePlanned(
                        Attempt.in("user:1").key(id).request(7),
                        () -> new Charge(id, 7, Instant.now()),
                        (key, charge) -> charge(context, key, charge));
                if (outcome instanceof Outcome.Completed) {
                    return outcome;
                }
            } catch (IdempotencyException unanswered) {
                assertThat(unanswered.retryable()).isTrue();
            }
            retries.incrementAndGet();
        }
    }

    private ApplicationContextRunner application(int connections) {
        start();
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        pool.setMaximumPoolSize(connections);
        new JdbcTemplate(pool).execute("CREATE TABLE charge (id VARCHAR(20) PRIMARY KEY, cents BIGINT NOT NULL)");
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(IdempotencyAutoConfiguration.class))
                .withBean(HikariDataSource.class, () -> pool)
                .withPropertyValues("idempotency.create-table=true", "idempotency.purge.enabled=false");
    }

    @Test
    void noConnectionIsHeldDuringTheRemoteCall() {
        application(1)
                .run(context -> assertThat(operation(context)
                                .executePlanned(
                                        Attempt.in("user:1").key("c-1").request(7),
                                        () -> new Charge("c-1", 7, Instant.now()),
                                        (key, charge) -> assertThat(context.getBean(HikariDataSource.class)
                                                        .getHikariPoolMXBean()
                                                        .getActiveConnections())
                                                .isZero()))
                        .isInstanceOf(Outcome.Executed.class));
    }

    @Test
    void rowThatFailsAfterTheChargeIsWrittenByTheNextCall() {
        failingRows.set(1);
        application(2).run(context -> {
            assertThat(pay(context, operation(context), "c-1")).isInstanceOf(Outcome.Healed.class);
            assertThat(rows(context)).isEqualTo(1);
        });
        assertThat(failingRows).hasValue(0);
        assertThat(lines()).hasSize(1);
    }

    @Test
    @Tag("thorough")
    void eachChargeIsMadeOnceThoughAnswersAreLostAndTheProviderIsKilled() {
        application(CALLERS).run(context -> {
            ExternalOperation<Charge> operation = operation(context);
            Race.of(CALLERS, Duration.ofMinutes(2), caller -> {
                        for (int charge = caller / 2; charge < CHARGES; charge += CALLERS / 2) {
                            assertThat(pay(context, operation, "c-" + charge)
                                            .orElseThrow()
                                            .id())
                                    .isEqualTo("c-" + charge);
                        }
                        return null;
                    })
                    .forEach(Race.Result::orFail);
            assertThat(rows(context)).isEqualTo(CHARGES);
        });
        List<String> effects = new ArrayList<>(lines());
        System.out.printf(
                "Provider: %d charges by %d callers, %d requests, %d kills, %d calls that had to ask again; %d effects.%n",
                CHARGES, CALLERS, requests.get(), KILLS, retries.get(), effects.size());
        assertThat(effects).doesNotHaveDuplicates().hasSize(CHARGES);
        assertThat(retries).hasPositiveValue();
    }

    private static int rows(ApplicationContext context) {
        return new JdbcTemplate(context.getBean(DataSource.class))
                .queryForList("SELECT id FROM charge")
                .size();
    }

    private List<String> lines() {
        try {
            return Files.readAllLines(folder.resolve("charges")).stream()
                    .map(line -> line.split(" ", 2)[0])
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
