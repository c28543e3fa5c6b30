package io.counterpoint.idempotency.examples.quarkus;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.testing.Curl;
import io.counterpoint.idempotency.testing.Daemon;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Runs the service in its own process, sends the README's commands to it, and kills it between the effect and the
 * response.
 */
@Timeout(120)
class ApplicationTest {

    private final String database = PostgresServer.shared().createDatabase();
    private List<String> lines;
    private Daemon service;
    private String port;

    @BeforeEach
    void start() throws IOException {
        lines = Curl.linesOf(Files.readString(Path.of("README.md")));
        service = Daemon.ofThisUser("service", "KILL");
        port = Integer.toString(service.port());
        run();
    }

    private void run() {
        service.start(Service.program(database, service.port()), this::requireReady, 60);
    }

    /** The service is ready when a request without a key gets 400. */
    private void requireReady() throws IOException {
        if (send(3).statusCode() != 400) {
            throw new IOException("not ready");
        }
    }

    @AfterEach
    void stop() {
        service.delete();
        PostgresServer.shared().giveBack(database);
    }

    private HttpResponse<String> send(int line) throws IOException {
        try {
            return Curl.send(lines.get(line), port);
        } catch (InterruptedException interrupted) {
            throw new IOException(interrupted);
        }
    }

    private int groups() throws SQLException {
        try (Connection connection = DriverManager.getConnection(database);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT count(*) FROM chat_group")) {
            rows.next();
            return rows.getInt(1);
        }
    }

    @Test
    void linesOfTheReadmeDoWhatItSays() throws Exception {
        assertThat(lines).hasSize(5);
        HttpResponse<String> created = send(0);
        assertThat(created.statusCode()).isEqualTo(201);
        assertThat(created.body()).isEqualTo("1 Friends\n");
        HttpResponse<String> retried = send(1);
        assertThat(retried.body()).isEqualTo(created.body());
        assertThat(retried.headers().firstValue("Idempotent-Replayed")).contains("true");
        assertThat(send(2).statusCode()).isEqualTo(422);
        assertThat(send(3).statusCode()).isEqualTo(400);
        assertThat(groups()).isEqualTo(1);
        assertThat(send(4).statusCode()).isEqualTo(201);
        assertThat(groups()).isEqualTo(Service.isAnonymous() ? 1 : 2);
    }

    @Test
    @Tag("thorough")
    void serviceThatIsKilledBetweenEffectAndAnswerCreatesOneGroup() throws Exception {
        var unread = Curl.begin(lines.get(0), port);
        while (groups() == 0) {
            assertThat(service.isRunning()).isTrue();
        }
        service.stop("KILL");
        unread.cancel(true);
        run();
        assertThat(send(1).body()).isEqualTo("1 Friends\n");
        assertThat(groups()).isEqualTo(1);
    }
}
