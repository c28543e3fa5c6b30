package io.counterpoint.idempotency.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.servlet.Client.Answer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that is killed between its commit and its answer, and its client's retry after the restart. */
@Tag("thorough")
class KilledServerTest {

    @TempDir
    private Path folder;

    /** A service in another process. */
    private record Service(Process process, BufferedReader output, int port) implements AutoCloseable {

        static Service start(String... arguments) throws IOException {
            List<String> command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xshare:auto",
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+UseSerialGC",
                    "-cp",
                    System.getProperty("java.class.path"),
                    KilledServer.class.getName()));
            command.addAll(List.of(arguments));
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            BufferedReader output =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
            return new Service(process, output, Integer.parseInt(output.readLine()));
        }

        Answer post(String path) {
            try {
                return Client.JDK.send(Client.Request.to(URI.create("http://127.0.0.1:" + port + path))
                        .key("k")
                        .body("coffee"));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void close() {
            process.destroyForcibly().onExit().join();
        }
    }

    @Test
    void retryAfterTheRestartGetsTheAnswerOfTheKilledServer() throws Exception {
        for (String path : List.of("/payments", "/transfers")) {
            String url = "jdbc:h2:" + folder.resolve(path.substring(1)) + ";WRITE_DELAY=0";
            try (Service doomed = Service.start(url, "stuck")) {
                CompletableFuture<Answer> first = CompletableFuture.supplyAsync(() -> doomed.post(path));
                assertThat(doomed.output.readLine()).isEqualTo("committed");
                doomed.close();
                assertThat(first.handle((answer, thrown) -> answer == null).join())
                        .isTrue();
            }
            try (Service service = Service.start(url)) {
                Answer retry = service.post(path);

                assertThat(retry.status()).isEqualTo(201);
                assertThat(retry.replayed()).isTrue();
                assertThat(retry.body()).isEqualTo("coffee");
            }
            List<String> effects = Jdbi.create(url)
                    .withHandle(handle -> handle.createQuery("SELECT name FROM payment")
                            .mapTo(String.class)
                            .list());
            assertThat(effects).containsExactly("coffee");
            System.out.println(
                    path + ": killed between commit and answer, restarted, retried: 201 replayed, 1 effect.");
        }
    }
}
