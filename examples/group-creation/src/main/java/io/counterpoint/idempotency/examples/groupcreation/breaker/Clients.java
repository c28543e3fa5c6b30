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
 * Clients that send requests at the same time, each one after the other in the order of the file. After "in progress"
 * or no answer, a client asks again with the same key: a bounded number of times, with growing pauses.
 */
final class Clients {

    /** About 2 s of asking, more than the grace period of {@code --crash}. */
    static final int MOST_TIMES = 10;

    private static final long FIRST_PAUSE_MS = 20;

    private static final long LONGEST_PAUSE_MS = 500;

    private final int number;
    private final Function<CreateGroupRequest, Answer> server;
    private final PrintStream out;
    private final AtomicBoolean stopped;

    /**
     * Clients of a server.
     *
     * @param stopped once true, every client finishes the request that it is at and sends no other; set here when a
     *     client gave up without any answer, which is what happens when the database is gone
     */
    Clients(int number, Function<CreateGroupRequest, Answer> server, PrintStream out, AtomicBoolean stopped) {
        this.number = number;
        this.server = server;
        this.out = out;
        this.stopped = stopped;
    }

    /**
     * A request and its last answer.
     *
     * @param askedAgain how often it was sent again because the answer before was none
     */
    record Sent(CreateGroupRequest request, Answer answer, int askedAgain) {}

    /**
     * Sends all requests, unless stopped, and shows progress once per second.
     *
     * @param doing what to call it
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
