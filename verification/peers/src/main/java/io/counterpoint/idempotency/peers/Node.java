package io.counterpoint.idempotency.peers;

import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.process.ChildProcess;
import io.counterpoint.idempotency.programs.process.JavaProgram;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A {@link Worker}, from the conductor's point of view. */
final class Node implements ChildProcess.Watcher, AutoCloseable {

    private static final Duration START = Duration.ofSeconds(60);
    private static final boolean SHOWS_ERRORS = System.getenv("PEERS_ERRORS") != null;

    private final AtomicInteger calls = new AtomicInteger();
    private final Map<Integer, CompletableFuture<Answer>> open = new ConcurrentHashMap<>();
    private final Set<String> reached = ConcurrentHashMap.newKeySet();
    private final Semaphore jobsDone = new Semaphore(0);
    private final ChildProcess process;

    private Node(JavaProgram program) throws IOException {
        process = ChildProcess.start(program, this);
    }

    static Node start(Peer peer, String url, String system) throws IOException, InterruptedException {
        Node node = new Node(new JavaProgram(
                peer.title(), Worker.class, "ready", List.of("-Xmx300m"), List.of(peer.name(), url, system), Map.of()));
        try {
            String unused = node.process.awaitReady(START);
        } catch (CannotRun e) {
            node.close();
            throw new IllegalStateException(e.getMessage() + " Set PEERS_ERRORS to see why.", e);
        }
        return node;
    }

    /** Lines that are not answers come from libraries, for example SLF4J's message about a missing provider. */
    @Override
    public void said(ChildProcess child, String line) {
        String[] words = line.split(" ", 4);
        switch (words[0]) {
            case "reached" -> reached(words[1]);
            case "done" -> jobsDone.release();
            case "answer" -> answered(Integer.parseInt(words[1]), new Answer(Answer.Kind.valueOf(words[2]), words[3]));
            default -> {
                if (SHOWS_ERRORS) {
                    System.err.println(line);
                }
            }
        }
    }

    @Override
    public void ended(ChildProcess child) {
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

    /** Makes a call whose work pauses after its insert for a time, or until {@link #go}. */
    CompletableFuture<Answer> book(String key, String request, long millis) {
        int call = calls.incrementAndGet();
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        open.put(call, answer);
        send("book " + call + " " + key + " " + request + " " + millis);
        return answer.completeOnTimeout(
                Answer.failed("no answer in " + Client.ANSWER_SECONDS + " s"), Client.ANSWER_SECONDS, TimeUnit.SECONDS);
    }

    /** Waits until the work for a key pauses. Returns false if the call fails before that. */
    synchronized boolean awaitPause(String key, CompletableFuture<Answer> call) throws InterruptedException {
        long deadline = System.nanoTime() + START.toNanos();
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
            process.say(order);
        } catch (IOException gone) {
            open.keySet().forEach(call -> answered(call, Answer.failed("the process is gone")));
        }
    }

    /** Kills it as {@code kill -9} does, and waits until it is gone. */
    void kill() {
        process.awaitEnd(Duration.ZERO);
    }

    @Override
    public void close() {
        process.kill();
    }
}
