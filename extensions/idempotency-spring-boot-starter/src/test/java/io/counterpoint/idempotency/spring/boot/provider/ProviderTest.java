package io.counterpoint.idempotency.spring.boot.provider;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Done;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ProviderOperation;
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
import java.sql.Connection;
import java.time.Duration;
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

/** Charges of a provider that takes a key, and their rows, in an application of Spring Boot, while the provider is killed. */
class ProviderTest {

    private static final int CALLERS = 8;
    private static final int CHARGES = 160;
    private static final int KILLS = 4;

    @TempDir
    private Path folder;

    private final HttpClient http = HttpClient.newHttpClient();
    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicInteger retries = new AtomicInteger();
    private final AtomicInteger failingRows = new AtomicInteger();
    private Runnable whileAsked = () -> {};
    private Process process;
    private int port;

    record Charge(String id, long cents) {

        String print() {
            return id + " " + cents;
        }

        static Charge parse(String text) {
            String[] parts = text.split(" ", -1);
            return new Charge(parts[0], Long.parseLong(parts[1]));
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
    private Done charge(String key, Charge charge) throws IOException, InterruptedException {
        whileAsked.run();
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
        return Done.DONE;
    }

    private ProviderOperation<Charge, Done> operation(ApplicationContext context) {
        @SuppressWarnings("unchecked")
        Idempotency<Connection> idempotency = context.getBean(Idempotency.class);
        JdbcTemplate database = new JdbcTemplate(context.getBean(DataSource.class));
        return idempotency
                .provider(
                        "charge",
                        ResultCodec.text(Charge::print, Charge::parse),
                        ResultCodec.done(),
                        (key, charge) -> charge(key.hash(), charge))
                .rememberedFor(Duration.ofHours(24))
                .waitAtMost(Duration.ofSeconds(1))
                .then((connection, key, charge, done) -> {
                    if (failingRows.getAndUpdate(rows -> Math.max(0, rows - 1)) > 0) {
                        throw new IllegalStateException("The row cannot be written now.");
                    }
                    // A second run that is not rolled back would fail here.
                    database.update("INSERT INTO charge (id, cents) VALUES (?, ?)", charge.id(), charge.cents());
                })
                .build();
    }

    private Outcome<Done> pay(ProviderOperation<Charge, Done> operation, String id) {
        while (true) {
            try {
                Outcome<Done> outcome =
                        operation.execute(Attempt.inScope("user:1").key(id).request(7), new Charge(id, 7));
                if (outcome instanceof Outcome.Completed) {
                    return outcome;
                }
            } catch (IdempotencyException unanswered) {
                assertThat(unanswered.isRetryable()).isTrue();
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
        application(1).run(context -> {
            HikariPoolMXBean pool = context.getBean(HikariDataSource.class).getHikariPoolMXBean();
            whileAsked = () -> assertThat(pool.getActiveConnections()).isZero();
            assertThat(pay(operation(context), "c-1")).isInstanceOf(Outcome.Completed.class);
        });
        assertThat(lines()).hasSize(1);
    }

    @Test
    void rowThatFailsAfterTheChargeIsWrittenByTheNextCallWithoutAnotherRequest() {
        failingRows.set(1);
        application(2).run(context -> {
            assertThat(pay(operation(context), "c-1")).isInstanceOf(Outcome.Healed.class);
            assertThat(rows(context)).isEqualTo(1);
        });
        assertThat(failingRows).hasValue(0);
        assertThat(lines()).hasSize(1);
    }

    @Test
    @Tag("thorough")
    void eachChargeIsMadeOnceThoughAnswersAreLostAndTheProviderIsKilled() {
        application(CALLERS).run(context -> {
            ProviderOperation<Charge, Done> operation = operation(context);
            Race.of(CALLERS, Duration.ofMinutes(2), caller -> {
                        for (int charge = caller / 2; charge < CHARGES; charge += CALLERS / 2) {
                            assertThat(pay(operation, "c-" + charge).orElseThrow())
                                    .isEqualTo(Done.DONE);
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
