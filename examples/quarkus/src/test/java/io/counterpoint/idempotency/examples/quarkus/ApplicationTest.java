package io.counterpoint.idempotency.examples.quarkus;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.testing.PostgresServer;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
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
import java.util.Base64;
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

    private static final Pattern LINE =
            Pattern.compile("curl -i -u (\\w+):secret (?:-H 'Idempotency-Key: (\\S+)' )?-d '(\\w+)' .*");
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private final String database = PostgresServer.shared().createDatabase();
    private int port;
    private Process service;

    @BeforeEach
    void start() throws Exception {
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        service = Service.start(
                database,
                port,
                Redirect.appendTo(Files.createDirectories(Path.of("target"))
                        .resolve("service.log")
                        .toFile()));
        await("the service answers", () -> {
            try {
                return send("ann", null, "x").statusCode() == 400;
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

    private HttpRequest request(String user, String key, String name) {
        HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/groups"))
                .header(
                        "Authorization",
                        "Basic " + Base64.getEncoder().encodeToString((user + ":secret").getBytes(UTF_8)))
                .POST(HttpRequest.BodyPublishers.ofString(name));
        return key == null
                ? builder.build()
                : builder.header("Idempotency-Key", key).build();
    }

    private HttpResponse<String> send(String user, String key, String name) throws Exception {
        return CLIENT.send(request(user, key, name), HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> send(Matcher line) throws Exception {
        return send(line.group(1), line.group(2), line.group(3));
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
        assertThat(lines).hasSize(5).allMatch(Matcher::matches);
        HttpResponse<String> created = send(lines.get(0));
        assertThat(created.statusCode()).isEqualTo(201);
        assertThat(created.body()).isEqualTo("1 Friends\n");
        HttpResponse<String> retried = send(lines.get(1));
        assertThat(retried.body()).isEqualTo(created.body());
        assertThat(retried.headers().firstValue("Idempotent-Replayed")).contains("true");
        assertThat(send(lines.get(2)).statusCode()).isEqualTo(422);
        assertThat(send(lines.get(3)).statusCode()).isEqualTo(400);
        assertThat(groups()).isEqualTo(1);
        assertThat(send(lines.get(4)).statusCode()).isEqualTo(201);
        assertThat(groups()).isEqualTo(Service.isAnonymous() ? 1 : 2);
    }

    @Test
    void serviceThatIsKilledBetweenEffectAndAnswerCreatesOneGroup() throws Exception {
        var unread = CLIENT.sendAsync(request("ann", "\"k\"", "Friends"), HttpResponse.BodyHandlers.ofInputStream());
        await("the group is there", () -> groups() == 1);
        kill();
        unread.cancel(true);
        start();
        HttpResponse<String> retried = send("ann", "\"k\"", "Friends");
        assertThat(retried.statusCode()).isEqualTo(201);
        assertThat(retried.body()).isEqualTo("1 Friends\n");
        assertThat(groups()).isEqualTo(1);
    }
}
