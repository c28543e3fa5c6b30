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
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import org.jdbi.v3.core.Handle;

/**
 * A process that leads one key, says on standard output how far it is, and stops at one step. There it waits for a line on
 * standard input, or for its end: {@code kill -9} by the page, or the page's own.
 */
final class LeaderMain implements IdempotencyListener {

    /** The beginning of the variables that say where the database is. */
    static final String ENVIRONMENT = "PAGE_LEADER";

    /** The beginning of the line at a step. */
    static final String STOPPED = "stopped at ";

    /** The beginning of the last line. */
    static final String ANSWERED = "answered ";

    private final LeaderStep stop;
    private boolean hasStopped;

    private LeaderMain(LeaderStep stop) {
        this.stop = stop;
    }

    /** Arguments: the key, the step, and whether abandoned keys are taken over. */
    public static void main(String[] args) throws CannotRun, Groups.Refused {
        LeaderMain leader = new LeaderMain(LeaderStep.valueOf(args[1]));
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
            public void insert(Handle handle, GroupCreated planned, CreateGroupRequest request) throws Refused {
                super.insert(handle, planned, request);
                reached(LeaderStep.WRITTEN);
            }
        };
    }

    @Override
    public void onEvent(IdempotencyEvent event) {
        if (event instanceof IdempotencyEvent.Claimed) {
            say("claimed the key");
            reached(LeaderStep.CLAIMED);
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
            reached(LeaderStep.COMMITTED);
        }
    }

    /** Stops once: a second run of the work goes on. */
    private void reached(LeaderStep now) {
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
