package io.counterpoint.idempotency.testing.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.counterpoint.idempotency.testing.Ports;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A Kafka broker in KRaft mode, in a process of its own that can be killed and started again on the same log and port.
 * It listens on 127.0.0.1 only, and ends when this process ends. For one thread.
 *
 * <p>The broker's jars are not on the class path of this process. The build writes their paths into a file beside this
 * class.
 */
public final class KafkaServer implements AutoCloseable {

    private static final long SECONDS_TO_START = 90;

    private static final String CONFIGURATION = """
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@127.0.0.1:%2$d
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://127.0.0.1:%1$d,CONTROLLER://127.0.0.1:%2$d
        advertised.listeners=PLAINTEXT://127.0.0.1:%1$d
        listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
        inter.broker.listener.name=PLAINTEXT
        log.dirs=%3$s
        auto.create.topics.enable=false
        broker.heartbeat.interval.ms=1000
        broker.session.timeout.ms=6000
        group.initial.rebalance.delay.ms=0
        group.min.session.timeout.ms=1000
        offsets.topic.replication.factor=1
        offsets.topic.num.partitions=1
        transaction.state.log.replication.factor=1
        transaction.state.log.num.partitions=1
        transaction.state.log.min.isr=1
        share.coordinator.state.topic.replication.factor=1
        share.coordinator.state.topic.num.partitions=1
        share.coordinator.state.topic.min.isr=1
        num.network.threads=2
        num.io.threads=2
        """;

    private final Path folder;
    private final int port = Ports.take();
    private @Nullable Process process;

    private KafkaServer(Path folder) {
        this.folder = folder;
    }

    /**
     * Starts a broker with an empty log.
     *
     * @return the broker, which accepts connections
     */
    public static KafkaServer start() {
        try {
            KafkaServer server = new KafkaServer(Files.createTempDirectory("kafka-"));
            Files.writeString(
                    server.properties(),
                    CONFIGURATION.formatted(
                            server.port, Ports.take(), server.log().toString().replace('\\', '/')));
            Runtime.getRuntime().addShutdownHook(new Thread(server::close));
            server.restart();
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot make a folder for Kafka: " + e.getMessage(), e);
        }
    }

    /**
     * Where clients find the broker, also after a restart.
     *
     * @return host and port
     */
    public String bootstrapServers() {
        return "127.0.0.1:" + port;
    }

    /** Kills the broker's process, and returns when it is gone. */
    public void kill() {
        Process running = process;
        if (running == null) {
            throw new IllegalStateException(this + " does not run");
        }
        running.destroyForcibly();
        awaitEnd(running);
        process = null;
    }

    /** Starts the broker again, after a {@link #kill}. Returns when it accepts connections. */
    public void restart() {
        try {
            Process started = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx384m",
                            "-XX:+UseSerialGC",
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            classPath(),
                            BrokerMain.class.getName(),
                            properties().toString(),
                            log().toString())
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(output().toFile()))
                    .start();
            process = started;
            awaitReady(started);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Kills the broker, if it runs, and deletes its log. */
    @Override
    public synchronized void close() {
        if (process != null) {
            kill();
        }
        if (Files.exists(folder)) {
            try (Stream<Path> files = Files.walk(folder)) {
                List<Path> deepestFirst =
                        files.sorted(Comparator.reverseOrder()).toList();
                for (Path file : deepestFirst) {
                    Files.deleteIfExists(file);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private void awaitReady(Process started) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_TO_START);
        do {
            try {
                new Socket(InetAddress.getLoopbackAddress(), port).close();
                return;
            } catch (IOException notYet) {
                if (exitsWithinMillis(started, 20)) {
                    break;
                }
            }
        } while (System.nanoTime() < deadline);
        String state = started.isAlive() ? "is not ready after " + SECONDS_TO_START + " s" : "ended at once";
        started.destroyForcibly();
        throw new IllegalStateException(this + " " + state + "; its output:\n" + Files.readString(output()));
    }

    private static void awaitEnd(Process ended) {
        if (!exitsWithinMillis(ended, 30_000)) {
            throw new IllegalStateException("a killed process is still there after 30 s");
        }
    }

    private static boolean exitsWithinMillis(Process process, long millis) {
        try {
            return process.waitFor(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for a process", e);
        }
    }

    /** The broker's jars, and the place of this class. */
    private static String classPath() throws IOException {
        try (InputStream in = KafkaServer.class.getResourceAsStream("broker.classpath")) {
            if (in == null) {
                throw new IllegalStateException("broker.classpath is not beside " + KafkaServer.class
                        + "; build the module with Maven, which writes it");
            }
            Path here = Path.of(KafkaServer.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            return here + File.pathSeparator + new String(in.readAllBytes(), UTF_8).strip();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private Path properties() {
        return folder.resolve("server.properties");
    }

    private Path log() {
        return folder.resolve("log");
    }

    private Path output() {
        return folder.resolve("output.txt");
    }

    @Override
    public String toString() {
        return "the Kafka broker on port " + port;
    }
}
