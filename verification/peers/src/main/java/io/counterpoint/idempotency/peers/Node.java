package io.counterpoint.idempotency.peers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A {@link Worker}, as the conductor sees it. */
final class Node implements AutoCloseable {

    private static final int START_SECONDS = 60;

    private final Process process;
    private final AtomicInteger calls = new AtomicInteger();
    private final Map<Integer, CompletableFuture<Answer>> open = new ConcurrentHashMap<>();
    private final Set<String> reached = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<Boolean> ready = new CompletableFuture<>();
    private final Semaphore jobsDone = new Semaphore(0);

    private Node(Process process) {
        this.process = process;
        Thread reader = new Thread(this::read, "output of process " + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    static Node start(Peer peer, String url, String system) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                System.getProperty("java.home") + "/bin/java",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx300m"));
        command.addAll(List.of("-classpath", System.getProperty("java.class.path"), Worker.class.getName()));
        command.addAll(List.of(peer.name(), url, system));
        ProcessBuilder builder = new ProcessBuilder(command);
        // SLF4J says that it is silent.
        builder.redirectError(
                System.getenv("PEERS_ERRORS") != null
                        ? ProcessBuilder.Redirect.INHERIT
                        : ProcessBuilder.Redirect.DISCARD);
        Node node = new Node(builder.start());
        if (!node.ready
                .completeOnTimeout(false, START_SECONDS, TimeUnit.SECONDS)
                .join()) {
            node.close();
            throw new IllegalStateException(peer.title() + " does not start: set PEERS_ERRORS to see why");
        }
        return node;
    }

    private void read() {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] words = line.split(" ", 4);
                switch (words[0]) {
                    case "ready" -> ready.complete(true);
                    case "reached" -> reached(words[1]);
                    case "done" -> jobsDone.release();
                    case "answer" ->
                        answered(Integer.parseInt(words[1]), new Answer(Answer.Kind.valueOf(words[2]), words[3]));
                    default -> throw new IllegalStateException("a worker says " + line);
                }
            }
        } catch (IOException gone) {
            // Nothing more to read.
        }
        ready.complete(false);
        jobsDone.release(1_000);
        open.keySet().forEach(call -> answered(call, Answer.failed("the process is gone")));
    }

    private synchronized void reached(String key) {
        reached.add(key);
        notifyAll();
    }

    private void answered(int call, Answer answer) {
        CompletableFuture<Answer> waiting = open.remove(call);
        if (waiting != null) {
            waiting.complete(answer);
        }
    }

    /** Calls; the work pauses for so long after its insert, or until {@link #go}. */
    CompletableFuture<Answer> book(String key, String request, long millis) {
        int call = calls.incrementAndGet();
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        open.put(call, answer);
        send("book " + call + " " + key + " " + request + " " + millis);
        return answer.completeOnTimeout(
                Answer.failed("no answer in " + Client.ANSWER_SECONDS + " s"), Client.ANSWER_SECONDS, TimeUnit.SECONDS);
    }

    /** Waits until the work for a key pauses. Returns false if the call has failed before that. */
    synchronized boolean awaitPause(String key, CompletableFuture<Answer> call) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (!reached.contains(key)) {
            if (call.isDone() && call.join().kind() == Answer.Kind.FAILED) {
                return false;
            }
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("The work does not run; the answer is " + call);
            }
            wait(100);
        }
        return true;
    }

    void go() {
        send("go");
    }

    void runJob() throws InterruptedException {
        send("job");
        jobsDone.acquire();
    }

    private synchronized void send(String order) {
        try {
            OutputStream input = process.getOutputStream();
            input.write((order + "\n").getBytes(UTF_8));
            input.flush();
        } catch (IOException gone) {
            open.keySet().forEach(call -> answered(call, Answer.failed("the process is gone")));
        }
    }

    /** Kills as {@code kill -9} does, and waits for the end. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
