package io.counterpoint.idempotency.examples.quarkus;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.testing.PostgresServer;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The service in a process of its own, with the lines of its README, and killed between the effect and the answer. */
@Timeout(120)
class ApplicationTest {

    private static final Pattern LINE = Pattern.compile("curl -i (?:-H 'Idempotency-Key: (\\S+)' )?-d '(\\w+)' .*");
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private final String database = PostgresServer.shared().createDatabase();
    private int port;
    private Process service;

    @BeforeEach
    void start() throws Exception {
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Dquarkus.http.port=" + port,
                "-Dquarkus.datasource.jdbc.url=" + database,
                "-jar",
                "target/quarkus-app/quarkus-run.jar");
        service = builder.redirectErrorStream(true)
                .redirectOutput(Path.of("target", "service.log").toFile())
                .start();
        await("the service answers", () -> {
            try {
                return send(null, "x").statusCode() == 400;
            } catch (IOException notYet) {
                return false;
            }
        });
    }

    @AfterEach
    void stop() throws Exception {
        kill();
        PostgresServer.shared().giveBack(database);
    }

    private void kill() throws InterruptedException {
        service.destroyForcibly();
        int unused = service.waitFor();
    }

    private interface Condition {
        boolean holds() throws Exception;
    }

    private void await(String what, Condition condition) throws Exception {
        long begun = System.nanoTime();
        while (!condition.holds()) {
            assertThat(System.nanoTime() - begun).as(what).isLessThan(TimeUnit.SECONDS.toNanos(60));
            assertThat(service.isAlive()).as("the service is alive").isTrue();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    private HttpRequest request(String key, String name) {
        HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/groups"))
                .POST(HttpRequest.BodyPublishers.ofString(name));
        return key == null
                ? builder.build()
                : builder.header("Idempotency-Key", key).build();
    }

    private HttpResponse<String> send(String key, String name) throws Exception {
        return CLIENT.send(request(key, name), HttpResponse.BodyHandlers.ofString());
    }

    private int groups() throws Exception {
        try (Connection connection = DriverManager.getConnection(database);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT count(*) FROM chat_group")) {
            rows.next();
            return rows.getInt(1);
        }
    }

    @Test
    void linesOfTheReadmeDoWhatItSays() throws Exception {
        List<Matcher> lines = Files.readString(Path.of("README.md"))
                .lines()
                .filter(line -> line.startsWith("curl "))
                .map(LINE::matcher)
                .toList();
        assertThat(lines).hasSize(4).allMatch(Matcher::matches);
        HttpResponse<String> created = send(lines.get(0).group(1), lines.get(0).group(2));
        assertThat(created.statusCode()).isEqualTo(201);
        assertThat(created.body()).isEqualTo("1 Friends\n");
        HttpResponse<String> retried = send(lines.get(1).group(1), lines.get(1).group(2));
        assertThat(retried.body()).isEqualTo(created.body());
        assertThat(retried.headers().firstValue("Idempotent-Replayed")).contains("true");
        assertThat(send(lines.get(2).group(1), lines.get(2).group(2)).statusCode())
                .isEqualTo(422);
        assertThat(send(lines.get(3).group(1), lines.get(3).group(2)).statusCode())
                .isEqualTo(400);
        assertThat(groups()).isEqualTo(1);
    }

    @Test
    void serviceThatIsKilledBetweenEffectAndAnswerCreatesOneGroup() throws Exception {
        var unread = CLIENT.sendAsync(request("\"k\"", "Friends"), HttpResponse.BodyHandlers.ofInputStream());
        await("the group is there", () -> groups() == 1);
        kill();
        unread.cancel(true);
        start();
        HttpResponse<String> retried = send("\"k\"", "Friends");
        assertThat(retried.statusCode()).isEqualTo(201);
        assertThat(retried.body()).isEqualTo("1 Friends\n");
        assertThat(groups()).isEqualTo(1);
    }
}
