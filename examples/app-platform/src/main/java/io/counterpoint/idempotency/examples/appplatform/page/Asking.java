package io.counterpoint.idempotency.examples.appplatform.page;

import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyListener;
import io.counterpoint.idempotency.Operation.Abandoned;
import io.counterpoint.idempotency.examples.appplatform.http.Callers;
import io.counterpoint.idempotency.examples.appplatform.page.TimeLine.Lane;
import io.counterpoint.idempotency.examples.groupcreation.CreateGroupRequest;
import io.counterpoint.idempotency.examples.groupcreation.Groups;
import io.counterpoint.idempotency.examples.groupcreation.breaker.Answer;
import io.counterpoint.idempotency.examples.groupcreation.breaker.Protocol;
import io.counterpoint.idempotency.examples.groupcreation.breaker.Storage;
import io.counterpoint.idempotency.examples.groupcreation.breaker.UseCase;
import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.DatabaseAddress;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** Callers in this process that retry a key, and their outcomes. */
final class Asking implements AutoCloseable {

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    /** Whether this thread's call took the key over. */
    private static final ThreadLocal<Boolean> TOOK_OVER = ThreadLocal.withInitial(() -> false);

    /**
     * The outcome for one caller.
     *
     * @param outcome its name
     * @param group the beginning of the group's identifier, or empty if there is no group
     * @param tookOver whether the caller became the leader of an abandoned key
     */
    record Answered(String outcome, String group, boolean tookOver) {

        /** What the library did for this caller. */
        String sentence() {
            return switch (outcome) {
                case "executed" ->
                    tookOver
                            ? "Under the record's lock the retry proved that the leader had committed nothing. It took"
                                    + " the key over under a fresh token and made the group."
                            : "There was no record, so the retry led and made the group.";
                case "replayed" -> "The group was committed with its record, so the retry got the stored answer.";
                case "healed" -> "The retry found the planned group, and completed the record.";
                case "in progress" ->
                    "A leader may be at work: the record is pending, and young or locked. The retry did nothing.";
                case "rejected" ->
                    "The attempt failed permanently as abandoned, with proof that nothing was committed. A client"
                            + " uses a new key.";
                default ->
                    "The library could not determine the outcome, and reported that. The client retries with"
                            + " the same key.";
            };
        }
    }

    /**
     * An attempt whose record is older than this and not locked counts as abandoned. Short, because users of the page
     * wait for it.
     */
    static final Duration GRACE = Duration.ofSeconds(2);

    private final Groups groups = new Groups();
    private final Storage storage;
    private final AtomicInteger waiting = new AtomicInteger();
    private final Callers callers;

    Asking(DatabaseAddress database, Callers callers) throws CannotRun {
        this.callers = callers;
        storage = Storage.connect(place(database));
        storage.createTables(groups);
    }

    /** Uses claim-first, which commits claims before the work, so the record shows that a leader is working. */
    static Storage.Place place(DatabaseAddress database) {
        return new Storage.Place(Protocol.CLAIM_FIRST, database, database);
    }

    /** The request for a key, always the same. */
    static CreateGroupRequest request(String key) {
        return new CreateGroupRequest("ada", key, "Friends of " + key, List.of("ben", "cleo"));
    }

    /** The number of callers that are waiting for a leader. */
    int waiting() {
        return waiting.get();
    }

    /** Runs several callers concurrently, and returns their outcomes in order. */
    List<Answered> ask(String key, Abandoned abandoned, int number, boolean waits, TimeLine line, Runnable changed)
            throws IOException, InterruptedException {
        return callers.ask(IntStream.rangeClosed(1, number)
                .mapToObj(i -> (Callable<Answered>) () -> {
                    line.add(Lane.CALLERS, "caller " + i + (waits ? " asks, and waits" : " asks"));
                    waiting.addAndGet(waits ? 1 : 0);
                    changed.run();
                    try {
                        Answered answered = ask(key, abandoned, waits ? LONGEST_WAIT : Duration.ZERO);
                        line.add(
                                Lane.CALLERS,
                                "caller " + i + (answered.tookOver() ? " took the key over: " : ": ")
                                        + answered.outcome()
                                        + (answered.group().isEmpty() ? "" : ", group " + answered.group()));
                        return answered;
                    } finally {
                        waiting.addAndGet(waits ? -1 : 0);
                        changed.run();
                    }
                })
                .toList());
    }

    private Answered ask(String key, Abandoned abandoned, Duration wait) {
        TOOK_OVER.set(false);
        UseCase useCase = storage.useCase(
                groups,
                IdempotencyListener.on(IdempotencyEvent.TakenOver.class, event -> TOOK_OVER.set(true)),
                settings -> (wait.isZero() ? settings : settings.waitAtMost(wait)).whenAbandoned(abandoned, GRACE));
        Answer answer = Answer.of(useCase, request(key));
        String group = answer.group()
                .map(created -> created.groupId().toString().substring(0, 8))
                .orElse("");
        return new Answered(answer.kind().toString(), group, TOOK_OVER.get());
    }

    @Override
    public void close() {
        storage.close();
    }
}
