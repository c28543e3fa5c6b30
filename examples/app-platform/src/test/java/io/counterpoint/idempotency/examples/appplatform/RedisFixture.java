package io.counterpoint.idempotency.examples.appplatform;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.counterpoint.idempotency.testing.Ports;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import redis.clients.jedis.RedisClient;

/** An installed Redis in its own process. It stores nothing on disk, and can be killed, paused and restarted. */
final class RedisFixture implements AutoCloseable {

    private static final String READY = "Ready to accept connections";

    private final int port;
    private final List<String> settings;
    private final Thread stop = new Thread(this::kill);
    private Process process;

    private RedisFixture(int port, List<String> settings) {
        this.port = port;
        this.settings = settings;
        Runtime.getRuntime().addShutdownHook(stop);
    }

    /** Starts Redis on a free port of 127.0.0.1. */
    static RedisFixture start(String... settings) throws IOException {
        RedisFixture started = new RedisFixture(Ports.take(), List.of(settings));
        started.restart();
        return started;
    }

    String url() {
        return "redis://127.0.0.1:" + port;
    }

    URI address() {
        return URI.create(url());
    }

    /** Lets a platform use this Redis. */
    Outside outside() {
        return TestPlatform.outside().with(Optional.of(address()));
    }

    /** A separate client, without the platform's timeouts. */
    RedisClient client() {
        return RedisClient.create(url());
    }

    /** Starts it again, empty and on the same port. */
    void restart() throws IOException {
        List<String> command = new ArrayList<>(List.of(
                "redis-server",
                "--port",
                Integer.toString(port),
                "--bind",
                "127.0.0.1",
                "--save",
                "",
                "--appendonly",
                "no"));
        command.addAll(settings);
        process = new ProcessBuilder(command).redirectErrorStream(true).start();
        BufferedReader said = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
        StringBuilder before = new StringBuilder();
        for (String line = said.readLine(); line != null; line = said.readLine()) {
            if (line.contains(READY)) {
                return;
            }
            before.append(line).append('\n');
        }
        throw new IOException("Redis did not start:\n" + before);
    }

    /** {@code kill -9}. */
    void kill() {
        try {
            int unused = process.destroyForcibly().waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Stops it from responding until it is resumed. Nothing is lost. */
    void pause() throws Exception {
        signal("STOP");
    }

    void goOn() throws Exception {
        signal("CONT");
    }

    private void signal(String signal) throws Exception {
        Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start();
        if (!kill.waitFor(10, TimeUnit.SECONDS) || kill.exitValue() != 0) {
            throw new IOException("kill -" + signal + " failed");
        }
    }

    @Override
    public void close() {
        kill();
        boolean unused = Runtime.getRuntime().removeShutdownHook(stop);
    }
}
