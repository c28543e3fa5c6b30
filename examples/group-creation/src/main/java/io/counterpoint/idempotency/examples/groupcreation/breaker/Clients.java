package io.counterpoint.idempotency.examples.groupcreation.breaker;

import io.counterpoint.idempotency.examples.groupcreation.CreateGroupRequest;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * Concurrent clients; together they send the requests in file order. A client that gets "in progress" or no response
 * retries with the same key, up to a limit and with growing pauses.
 */
final class Clients {

    /** Amounts to about 2 s of retries, longer than the grace period with {@code --crash}. */
    static final int MOST_TIMES = 10;

    private static final long FIRST_PAUSE_MS = 20;

    private static final long LONGEST_PAUSE_MS = 500;

    private final int number;
    private final Function<CreateGroupRequest, Answer> server;
    private final PrintStream out;
    private final AtomicBoolean stopped;

    /**
     * Creates clients of a server.
     *
     * @param stopped once true, every client finishes its current request and sends no more. Also set here when a
     *     client gives up without a response, which happens when the database is gone
     */
    Clients(int number, Function<CreateGroupRequest, Answer> server, PrintStream out, AtomicBoolean stopped) {
        this.number = number;
        this.server = server;
        this.out = out;
        this.stopped = stopped;
    }

    /**
     * A request and the last response to it.
     *
     * @param askedAgain how many times it was retried
     */
    record Sent(CreateGroupRequest request, Answer answer, int askedAgain) {}

    /**
     * Sends all requests unless stopped, and prints progress once per second.
     *
     * @param doing the label for the progress
     */
    List<Sent> send(String doing, List<CreateGroupRequest> requests) throws InterruptedException {
        Queue<CreateGroupRequest> waiting = new ConcurrentLinkedQueue<>(requests);
        Queue<Sent> sent = new ConcurrentLinkedQueue<>();
        long start = System.nanoTime();
        int needed = Math.max(1, Math.min(number, requests.size()));
        ExecutorService threads = Executors.newFixedThreadPool(needed);
        for (int client = 0; client < needed; client++) {
            threads.execute(() -> {
                for (CreateGroupRequest next = waiting.poll(); next != null && !stopped.get(); next = waiting.poll()) {
                    Sent answered = send(next);
                    sent.add(answered);
                    if (answered.answer().kind() == Answer.Kind.UNKNOWN) {
                        stopped.set(true);
                    }
                }
            });
        }
        threads.shutdown();
        boolean done;
        do {
            done = threads.awaitTermination(1, TimeUnit.SECONDS);
            double seconds = (System.nanoTime() - start) / 1e9;
            out.printf(Locale.ROOT, "  %s: %d of %d answered, %.1f s%n", doing, sent.size(), requests.size(), seconds);
        } while (!done);
        return new ArrayList<>(sent);
    }

    private Sent send(CreateGroupRequest request) {
        for (int time = 1; ; time++) {
            Answer answer = answer(request);
            if (!answer.kind().asksAgain() || time == MOST_TIMES || stopped.get() || !paused(time)) {
                return new Sent(request, answer, time - 1);
            }
        }
    }

    private Answer answer(CreateGroupRequest request) {
        try {
            return server.apply(request);
        } catch (RuntimeException thrown) {
            return Answer.without(Answer.Kind.UNKNOWN, thrown.getClass().getSimpleName());
        }
    }

    private static boolean paused(int time) {
        try {
            long longest = Math.min(FIRST_PAUSE_MS << (time - 1), LONGEST_PAUSE_MS);
            TimeUnit.MILLISECONDS.sleep(ThreadLocalRandom.current().nextLong(longest / 2, longest + 1));
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
