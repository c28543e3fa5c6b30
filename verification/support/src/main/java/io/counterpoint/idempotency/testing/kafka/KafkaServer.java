package io.counterpoint.idempotency.testing.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.counterpoint.idempotency.testing.Daemon;
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
import java.util.List;

/**
 * A Kafka broker in KRaft mode, in its own process, which can be killed and restarted with the same log and port. It
 * listens on 127.0.0.1 only, and ends when this process ends, even if it is killed. Not thread-safe.
 *
 * <p>The broker's jars are not on the class path of this process. The build writes their paths to a file beside this
 * class.
 */
public final class KafkaServer implements AutoCloseable {

    private static final String KILL = "KILL";
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

    private final Daemon daemon;
    private boolean closed;

    private KafkaServer(Daemon daemon) {
        this.daemon = daemon;
    }

    /**
     * Starts a broker with an empty log.
     *
     * @return the broker, which accepts connections
     */
    public static KafkaServer start() {
        try {
            KafkaServer server = new KafkaServer(Daemon.ofThisUser("Kafka broker", KILL));
            Files.writeString(
                    server.properties(),
                    CONFIGURATION.formatted(
                            server.daemon.port(),
                            Ports.take(),
                            server.log().toString().replace('\\', '/')));
            Runtime.getRuntime().addShutdownHook(new Thread(server::close));
            server.restart();
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot make a folder for Kafka: " + e.getMessage(), e);
        }
    }

    /**
     * The broker's address, which does not change when it restarts.
     *
     * @return host and port
     */
    public String bootstrapServers() {
        return "127.0.0.1:" + daemon.port();
    }

    /** Kills the broker's process, and waits until it is gone. */
    public void kill() {
        if (!daemon.isRunning()) {
            throw new IllegalStateException(daemon + " does not run");
        }
        daemon.stop(KILL);
    }

    /** Restarts the broker after a {@link #kill}. Returns when it accepts connections. */
    public void restart() {
        List<String> program = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx384m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                classPath(),
                BrokerMain.class.getName(),
                properties().toString(),
                log().toString());
        daemon.start(
                program, () -> new Socket(InetAddress.getLoopbackAddress(), daemon.port()).close(), SECONDS_TO_START);
    }

    /** Kills the broker, if it is running, and deletes its log. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            daemon.delete();
        }
    }

    /** The broker's jars, and the location of this class. */
    private static String classPath() {
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
        } catch (IOException | URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private Path properties() {
        return daemon.folder().resolve("server.properties");
    }

    private Path log() {
        return daemon.folder().resolve("log");
    }

    @Override
    public String toString() {
        return daemon.toString();
    }
}
