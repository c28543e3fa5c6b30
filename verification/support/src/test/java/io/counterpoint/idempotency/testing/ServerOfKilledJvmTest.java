package io.counterpoint.idempotency.testing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("thorough")
@Tag("own-server")
class ServerOfKilledJvmTest {

    private static final Duration BOUND = Duration.ofSeconds(60);

    @Test
    void stopsWithItsJvmAndIsClearedAwayByTheNext() throws Exception {
        Process jvm = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        StartsServerAndWaits.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader output = new BufferedReader(new InputStreamReader(jvm.getInputStream(), UTF_8))) {
            int port = Integer.parseInt(output.readLine());
            Path data = Path.of(output.readLine());
            assertThat(listens(port)).isTrue();
            assertThat(data).exists();

            jvm.destroyForcibly();

            assertThat(happens(() -> !listens(port))).isTrue();
            // Another JVM of this machine may have been the next already, and may be about it still.
            PostgresServer.start().close();
            assertThat(happens(() -> !Files.exists(data))).isTrue();
        } finally {
            jvm.destroyForcibly();
        }
    }

    @Test
    void pairStopsWithItsJvmEvenWhileItIsPaused() throws Exception {
        Process jvm = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        StartsPairAndWaits.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader output = new BufferedReader(new InputStreamReader(jvm.getInputStream(), UTF_8))) {
            int primary = Integer.parseInt(output.readLine());
            int standby = Integer.parseInt(output.readLine());
            assertThat(listens(primary)).isTrue();
            assertThat(listens(standby)).isTrue();

            jvm.destroyForcibly();

            assertThat(happens(() -> !listens(primary) && !listens(standby))).isTrue();
        } finally {
            jvm.destroyForcibly();
        }
    }

    @Test
    void serverOutlivesAProgramThatASignalEnds() throws Exception {
        Process jvm = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        StartsServerAndEndsSlowly.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader output = new BufferedReader(new InputStreamReader(jvm.getInputStream(), UTF_8))) {
            int port = Integer.parseInt(output.readLine());

            // Not that of the process, which closes its streams.
            assertThat(jvm.toHandle().destroy()).isTrue();

            assertThat(output.readLine()).isEqualTo(StartsServerAndEndsSlowly.SERVED);
            assertThat(happens(() -> !jvm.isAlive() && !listens(port))).isTrue();
        } finally {
            jvm.destroyForcibly();
        }
    }

    private static boolean happens(BooleanSupplier condition) {
        long deadline = System.nanoTime() + BOUND.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                return false;
            }
            Thread.onSpinWait();
        }
        return true;
    }

    private static boolean listens(int port) {
        try (Socket ignored = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return true;
        } catch (IOException refused) {
            return false;
        }
    }

    /** The program of the JVM that is killed. */
    static final class StartsServerAndWaits {

        public static void main(String[] arguments) throws Exception {
            PostgresServer server = PostgresServer.start();
            System.out.println(server.port());
            System.out.println(
                    Path.of(Sql.query(server.jdbcUrl(), "show data_directory")).getParent());
            Thread.currentThread().join();
        }
    }

    /** The same with two servers, of which one is paused. */
    static final class StartsPairAndWaits {

        public static void main(String[] arguments) throws Exception {
            ReplicatedPostgres pair = ReplicatedPostgres.start();
            pair.waitForStandby();
            pair.primary().pause();
            System.out.println(pair.primary().port());
            System.out.println(pair.standby().port());
            Thread.currentThread().join();
        }
    }

    /** A program that takes its time to end, and wants its server until then. */
    static final class StartsServerAndEndsSlowly {

        static final String SERVED = "served to the end";
        private static final Duration TIME = Duration.ofSeconds(2);

        public static void main(String[] arguments) throws Exception {
            PostgresServer server = PostgresServer.start();
            CompletableFuture<Void> ended = new CompletableFuture<>();
            PostgresServer.beforeStop(ended, BOUND);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                long end = System.nanoTime() + TIME.toNanos();
                boolean isServed = true;
                while (isServed && System.nanoTime() < end) {
                    isServed = listens(server.port());
                }
                System.out.println(isServed ? SERVED : "its server is gone");
                boolean unused = ended.complete(null);
            }));
            System.out.println(server.port());
            Thread.currentThread().join();
        }
    }
}
