package io.counterpoint.idempotency.testing.bridge;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A node in its own process, from its parent's point of view. */
final class NodeProcess implements AutoCloseable {

    private static final int BOUND_S = 120;
    private static final AtomicInteger CALLS = new AtomicInteger();

    private final NodeKind kind;
    private final Process process;
    private final StringBuilder log = new StringBuilder();
    private final CompletableFuture<String> ready = new CompletableFuture<>();
    private final Map<String, Called> calls = new ConcurrentHashMap<>();

    /** A call at a node. First it is stopped or answered; finally it is answered, or its node is dead. */
    record Called(
            NodeKind by, String id, long cents, CompletableFuture<String> stopped, CompletableFuture<String> answer) {

        void awaitStop() throws Exception {
            CompletableFuture.anyOf(stopped, answer).get(BOUND_S, TimeUnit.SECONDS);
        }

        String await() throws Exception {
            return answer.get(BOUND_S, TimeUnit.SECONDS);
        }
    }

    NodeProcess(NodeKind kind, String url) throws IOException {
        this.kind = kind;
        this.process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        kind.classes() + File.pathSeparator + System.getProperty("java.class.path"),
                        kind.program(),
                        url,
                        kind.name()))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        Thread reader = new Thread(this::read, "node " + kind.name());
        reader.setDaemon(true);
        reader.start();
    }

    private void read() {
        try (BufferedReader lines = process.inputReader(UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith(BridgeNode.SIGN)) {
                    heard(line.substring(BridgeNode.SIGN.length()).split(" ", 3));
                } else {
                    log.append(line).append('\n');
                }
            }
        } catch (IOException dead) {
            // The node is dead.
        }
        ready.completeExceptionally(new IllegalStateException("The node " + kind.name() + " has ended:\n" + log));
        calls.values().forEach(call -> call.answer().complete("dead"));
    }

    private void heard(String[] words) {
        switch (words[0]) {
            case "ready" -> ready.complete("");
            case "stopped" ->
                Objects.requireNonNull(calls.get(words[1])).stopped().complete("");
            default -> Objects.requireNonNull(calls.get(words[1])).answer().complete(words[2]);
        }
    }

    NodeKind kind() {
        return kind;
    }

    Called call(Stop stop, String userId, String requestId, long cents) throws Exception {
        ready.get(BOUND_S, TimeUnit.SECONDS);
        String id = Integer.toString(CALLS.incrementAndGet());
        Called call = new Called(kind, id, cents, new CompletableFuture<>(), new CompletableFuture<>());
        calls.put(id, call);
        say(String.join(" ", id, stop.name(), userId, requestId, Long.toString(cents)));
        return call;
    }

    void resume() {
        calls.values().stream().filter(call -> call.stopped().isDone()).forEach(call -> say("go " + call.id()));
    }

    private void say(String line) {
        try {
            process.getOutputStream().write((line + "\n").getBytes(UTF_8));
            process.getOutputStream().flush();
        } catch (IOException dead) {
            throw new UncheckedIOException("The node " + kind.name() + " is dead.", dead);
        }
    }

    /** {@code kill -9}. */
    void kill() throws InterruptedException {
        int unused = process.destroyForcibly().waitFor();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
