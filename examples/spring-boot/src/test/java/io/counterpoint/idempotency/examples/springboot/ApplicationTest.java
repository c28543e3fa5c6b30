package io.counterpoint.idempotency.examples.springboot;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.testing.Curl;
import io.counterpoint.idempotency.testing.MariaDbServer;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.context.ConfigurableApplicationContext;

/** Starts the service and sends the README's commands to it over HTTP. */
class ApplicationTest {

    /** MySQL replaces MariaDB when the test server is MySQL. */
    static Stream<List<String>> databases() {
        MariaDbServer server = MariaDbServer.shared();
        return Stream.of(
                List.of(),
                List.of("--spring.profiles.active=h2"),
                server.isMySql()
                        ? List.of(
                                "--spring.profiles.active=mysql", "--spring.datasource.url=" + server.createDatabase())
                        : List.of("--spring.profiles.active=mariadb"));
    }

    @ParameterizedTest
    @MethodSource("databases")
    void linesOfTheReadmeDoWhatItSays(List<String> database) throws Exception {
        List<String> arguments = new ArrayList<>(database);
        arguments.addAll(List.of("--server.port=0", "--spring.main.banner-mode=off", "--logging.level.root=ERROR"));
        List<String> lines = Curl.linesOf(Files.readString(Path.of("README.md")));
        try (ConfigurableApplicationContext application = Application.start(arguments.toArray(String[]::new))) {
            String port = application.getEnvironment().getProperty("local.server.port");
            assertThat(lines).hasSize(14);

            HttpResponse<String> created = Curl.send(lines.get(0), port);
            assertThat(created.statusCode()).isEqualTo(201);
            assertThat(created.body()).isEqualTo("{\"id\":1,\"name\":\"Friends\",\"members\":1}");
            HttpResponse<String> retried = Curl.send(lines.get(1), port);
            assertThat(retried.statusCode()).isEqualTo(201);
            assertThat(retried.body()).isEqualTo(created.body());
            assertThat(retried.headers().firstValue("Idempotent-Replayed")).contains("true");

            assertThat(Curl.send(lines.get(2), port).statusCode()).isEqualTo(422);
            assertThat(Curl.send(lines.get(3), port).statusCode()).isEqualTo(400);
            assertThat(Curl.send(lines.get(4), port).body()).contains("\"id\":2");

            assertThat(Curl.send(lines.get(5), port).statusCode()).isEqualTo(202);
            assertThat(Curl.send(lines.get(6), port).statusCode()).isEqualTo(202);
            assertThat(Curl.send(lines.get(7), port).body())
                    .contains(
                            "\"id\":1,\"name\":\"Friends\",\"members\":2",
                            "\"id\":2,\"name\":\"Friends\",\"members\":1")
                    .doesNotContain("\"id\":3");

            assertThat(Curl.send(lines.get(8), port).body()).contains("\"idempotency\":{", "\"status\":\"UP\"");
            assertThat(Curl.send(lines.get(9), port).body()).isEqualTo("{\"pending\":[]}");
            assertThat(Curl.send(lines.get(10), port).body())
                    .contains("idempotency_events_total{", "operation=\"create-group\"", "event=\"replayed\"");
            Dashboard.provokeWhatIsRare(application);
            assertThat(Curl.send(lines.get(10), port).body()).satisfies(Dashboard::requireMetrics);

            assertThat(Curl.send(lines.get(11), port).body()).isEqualTo("{\"charge\":\"ch_1\",\"cents\":1250}");
            assertThat(Curl.send(lines.get(12), port).body()).isEqualTo("{\"charge\":\"ch_1\",\"cents\":1250}");
            assertThat(Curl.send(lines.get(13), port).body()).contains("card-declined");
        }
    }
}
