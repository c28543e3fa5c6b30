package io.counterpoint.idempotency.examples.groupcreation.breaker;

import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.examples.groupcreation.CreateGroupRequest;
import io.counterpoint.idempotency.examples.groupcreation.Groups;
import io.counterpoint.idempotency.examples.groupcreation.breaker.Clients.Sent;
import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.process.ChildProcess;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/** Kills leaders at chosen moments, inspects what they left behind, and retries with the same keys. */
final class Crash {

    private static final int LEADERS = 3;
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);
    private static final String NO_RECORD = "none";

    private final Storage storage;
    private final Storage.Place placeForOthers;
    private final UseCase useCase;
    private final PrintStream out;
    private final AtomicBoolean stopped;

    /**
     * Prepares to kill leaders.
     *
     * @param placeForOthers where another process finds the same databases
     * @param useCase executes the retries
     * @param stopped once true, no more leaders are killed; keys of leaders that are already dead are still retried
     */
    Crash(Storage storage, Storage.Place placeForOthers, UseCase useCase, PrintStream out, AtomicBoolean stopped) {
        this.storage = storage;
        this.placeForOthers = placeForOthers;
        this.useCase = useCase;
        this.out = out;
        this.stopped = stopped;
    }

    /**
     * What happened to the keys of leaders killed at one moment.
     *
     * @param records the state of each record after the kill
     * @param groupsLeft how many groups the killed leaders had committed
     * @param retries the responses to the retries
     * @param groupsThen how many groups there were after the retries
     */
    record Killed(Moment moment, List<String> records, int groupsLeft, List<Sent> retries, int groupsThen) {}

    /** At each moment that the protocol has, kills a process with a few leaders. */
    List<Killed> run(List<CreateGroupRequest> requests) throws CannotRun, IOException, InterruptedException {
        List<CreateGroupRequest> candidates = candidates(requests);
        List<Killed> killed = new ArrayList<>();
        for (Moment moment : Moment.values()) {
            if (moment.killsUnder(placeForOthers.protocol()) && !stopped.get()) {
                int first = Math.min(killed.size() * LEADERS, candidates.size());
                int end = Math.min(first + LEADERS, candidates.size());
                if (first == end) {
                    throw new CannotRun("There are too few keys that this database has not seen, to kill leaders of.");
                }
                killed.add(kill(moment, candidates.subList(first, end)));
            }
        }
        return killed;
    }

    /**
     * One request for each key that is new to the database. Requests that the domain refuses are left out, because they
     * never commit.
     */
    private List<CreateGroupRequest> candidates(List<CreateGroupRequest> requests) {
        Set<List<String>> keys = new HashSet<>();
        return requests.stream()
                .filter(request -> Groups.refusal(request).isEmpty())
                .filter(request -> keys.add(List.of(request.user(), request.key())))
                .filter(request -> stateOfRecord(request).equals(NO_RECORD))
                .limit((long) LEADERS * Moment.values().length)
                .toList();
    }

    /** Kills one process that is the leader for all these keys, and then retries them. */
    Killed kill(Moment moment, List<CreateGroupRequest> requests) throws CannotRun, IOException, InterruptedException {
        int before = groups();
        out.println("  killing " + requests.size() + " leaders " + moment.describe(placeForOthers.protocol()));
        fork(moment, requests);
        List<String> records = requests.stream().map(this::stateOfRecord).toList();
        int groupsLeft = groups() - before;
        Clients clients =
                new Clients(requests.size(), request -> Answer.of(useCase, request), out, new AtomicBoolean());
        List<Sent> retries = clients.send("retrying", requests);
        return new Killed(moment, records, groupsLeft, retries, groups() - before);
    }

    private void fork(Moment moment, List<CreateGroupRequest> requests)
            throws CannotRun, IOException, InterruptedException {
        ChildProcess leaders = ChildProcess.start(
                DoomedLeaders.program(placeForOthers, moment, Operation.Abandoned.FAIL, LONGEST_WAIT, requests),
                (process, line) -> {});
        try {
            String unused = leaders.awaitReady(LONGEST_WAIT);
        } catch (CannotRun thrown) {
            if (!stopped.get()) {
                throw thrown;
            }
        } finally {
            leaders.kill();
            leaders.awaitEnd(LONGEST_WAIT);
        }
    }

    /** What an operator would see, read through the store's public interface. */
    String stateOfRecord(CreateGroupRequest request) {
        return storage.records()
                .store()
                .read(useCase.keyOf(request))
                .map(record -> record.<String>fold(pending -> "Pending", succeeded -> "Succeeded", failed -> "Failed"))
                .orElse(NO_RECORD);
    }

    private int groups() {
        return WrittenGroup.identifiers(WrittenGroup.all(storage.groups().jdbi()))
                .size();
    }
}
