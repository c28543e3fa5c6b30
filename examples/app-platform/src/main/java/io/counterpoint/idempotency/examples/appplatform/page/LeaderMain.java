package io.counterpoint.idempotency.examples.appplatform.page;

import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.IdempotencyListener;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.examples.groupcreation.CreateGroupRequest;
import io.counterpoint.idempotency.examples.groupcreation.GroupCreated;
import io.counterpoint.idempotency.examples.groupcreation.Groups;
import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.DatabaseAddress;
import io.counterpoint.idempotency.programs.process.JavaProgram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/**
 * A process that leads one key, says on standard output how far it is, and stops at one step. There it waits for a line on
 * standard input, or for its end: {@code kill -9} by the page, or the page's own.
 */
final class LeaderMain implements IdempotencyListener {

    /** The beginning of the variables that say where the database is. */
    private static final String ENVIRONMENT = "PAGE_LEADER";

    /** The beginning of the line at a step. */
    private static final String STOPPED = "stopped at ";

    /** The beginning of the last line. */
    static final String ANSWERED = "answered ";

    /** Where a leader can be stopped. */
    enum Step {
        /** The claim is committed, and the transaction has begun with the record's lock. */
        CLAIMED,
        /** The group is written, and not committed. */
        WRITTEN,
        /** Group and record are committed, and the client has no answer. */
        COMMITTED
    }

    private final Step stop;
    private boolean hasStopped;

    private LeaderMain(Step stop) {
        this.stop = stop;
    }

    /** This, to be run on a database. */
    static JavaProgram program(DatabaseAddress database, String key, Step stop, boolean takesOver) {
        Map<String, String> environment = new HashMap<>();
        database.into(environment, ENVIRONMENT);
        List<String> arguments = List.of(key, stop.name(), Boolean.toString(takesOver));
        return new JavaProgram("leader", LeaderMain.class, STOPPED, List.of(), arguments, environment);
    }

    /** Arguments: the key, the step, and whether abandoned keys are taken over. */
    public static void main(String[] args) throws CannotRun, Groups.Refused {
        LeaderMain leader = new LeaderMain(Step.valueOf(args[1]));
        DatabaseAddress database = DatabaseAddress.from(System.getenv(), ENVIRONMENT);
        try (KeyedGroups groups = KeyedGroups.on(database, leader.groups(), leader)) {
            try {
                Outcome<GroupCreated> outcome = groups.create(args[0], Boolean.parseBoolean(args[2]), Duration.ZERO);
                say(ANSWERED + outcome.getClass().getSimpleName());
            } catch (IdempotencyException exception) {
                say(ANSWERED + exception.getClass().getSimpleName());
            }
        }
    }

    private static void say(String line) {
        System.out.println(line);
    }

    private Groups groups() {
        return new Groups() {
            @Override
            public void insert(Handle handle, GroupCreated planned, CreateGroupRequest request) {
                super.insert(handle, planned, request);
                reached(Step.WRITTEN);
            }
        };
    }

    @Override
    public void onEvent(IdempotencyEvent event) {
        if (event instanceof IdempotencyEvent.Claimed) {
            say("claimed the key");
            reached(Step.CLAIMED);
        } else if (event instanceof IdempotencyEvent.TakenOver) {
            say("took the key over");
        } else if (event instanceof IdempotencyEvent.Retried) {
            say("lost its transaction, runs the work again");
        } else if (event instanceof IdempotencyEvent.CommitUnknown) {
            say("got no answer to COMMIT");
        } else if (event instanceof IdempotencyEvent.Arbitrated arbitrated) {
            say("found under the record's lock: " + (arbitrated.committed() ? "committed" : "not committed"));
        } else if (event instanceof IdempotencyEvent.Succeeded) {
            say("committed group and record");
            reached(Step.COMMITTED);
        }
    }

    /** Stops once: a second run of the work goes on. */
    private void reached(Step now) {
        if (now != stop || hasStopped) {
            return;
        }
        hasStopped = true;
        say(STOPPED + now.name());
        try {
            if (System.in.read() < 0) {
                // The page is gone, and nobody is going to let this go on.
                Runtime.getRuntime().halt(1);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
