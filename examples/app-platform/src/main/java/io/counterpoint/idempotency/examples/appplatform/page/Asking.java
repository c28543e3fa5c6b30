package io.counterpoint.idempotency.examples.appplatform.page;

import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.IdempotencyListener;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.examples.appplatform.http.Callers;
import io.counterpoint.idempotency.examples.appplatform.page.TimeLine.Lane;
import io.counterpoint.idempotency.examples.groupcreation.GroupCreated;
import io.counterpoint.idempotency.examples.groupcreation.Groups;
import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.DatabaseAddress;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** Callers in this process that ask for a key again, and what each of them learns. */
final class Asking implements AutoCloseable {

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    /** Whether the call of this thread took its key over. */
    private static final ThreadLocal<Boolean> TOOK_OVER = ThreadLocal.withInitial(() -> false);

    /**
     * What a caller learned.
     *
     * @param outcome its name
     * @param group the beginning of the group's identifier; empty without one
     * @param tookOver whether the caller became the leader of an abandoned key
     */
    record Answered(String outcome, String group, boolean tookOver) {

        /** What the library did for this caller. */
        String sentence() {
            return switch (outcome) {
                case "Executed" ->
                    tookOver
                            ? "Under the record's lock the retry proved that the leader had committed nothing. It took"
                                    + " the key over under a fresh token and made the group."
                            : "There was no record, so the retry led and made the group.";
                case "Replayed" -> "The group was committed with its record, so the retry got the stored answer.";
                case "Healed" -> "The retry found the planned group, and completed the record.";
                case "InProgress" ->
                    "A leader may be at work: the record is pending, and young or locked. The retry did nothing.";
                case "Rejected" ->
                    "The attempt failed for good as abandoned, with proof that nothing was committed. A client takes a"
                            + " new key.";
                default -> "The library could not tell, and said so. The client asks again with the same key.";
            };
        }
    }

    private final KeyedGroups groups;
    private final AtomicInteger waiting = new AtomicInteger();
    private final Callers callers;

    Asking(DatabaseAddress database, Callers callers) throws CannotRun {
        this.callers = callers;
        groups = KeyedGroups.on(
                database,
                new Groups(),
                IdempotencyListener.on(IdempotencyEvent.TakenOver.class, event -> TOOK_OVER.set(true)));
    }

    /** How many callers wait for a leader now. */
    int waiting() {
        return waiting.get();
    }

    /** Asks with several callers at once; answers in their order. */
    List<Answered> ask(String key, boolean takesOver, int number, boolean waits, TimeLine line, Runnable changed)
            throws IOException, InterruptedException {
        return callers.ask(IntStream.rangeClosed(1, number)
                .mapToObj(i -> (Callable<Answered>) () -> {
                    line.add(Lane.CALLERS, "caller " + i + (waits ? " asks, and waits" : " asks"));
                    waiting.addAndGet(waits ? 1 : 0);
                    changed.run();
                    try {
                        Answered answered = ask(key, takesOver, waits ? LONGEST_WAIT : Duration.ZERO);
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

    private Answered ask(String key, boolean takesOver, Duration wait) throws Groups.Refused {
        TOOK_OVER.set(false);
        try {
            Outcome<GroupCreated> outcome = groups.create(key, takesOver, wait);
            String group = outcome.asOptional()
                    .map(created -> created.groupId().toString().substring(0, 8))
                    .orElse("");
            return new Answered(outcome.getClass().getSimpleName(), group, TOOK_OVER.get());
        } catch (IdempotencyException exception) {
            return new Answered(exception.getClass().getSimpleName(), "", TOOK_OVER.get());
        }
    }

    @Override
    public void close() {
        groups.close();
    }
}
