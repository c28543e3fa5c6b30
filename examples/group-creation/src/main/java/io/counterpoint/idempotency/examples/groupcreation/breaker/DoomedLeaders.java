package io.counterpoint.idempotency.examples.groupcreation.breaker;

import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyListener;
import io.counterpoint.idempotency.examples.groupcreation.CreateGroupRequest;
import io.counterpoint.idempotency.examples.groupcreation.GroupCreated;
import io.counterpoint.idempotency.examples.groupcreation.Groups;
import io.counterpoint.idempotency.programs.DatabaseAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jdbi.v3.core.Handle;

/**
 * A process that leads several keys at once and halts when each leader has reached the same moment. As with {@code kill
 * -9} it rolls nothing back, closes nothing and flushes nothing. It reads the requests from its standard input.
 */
final class DoomedLeaders {

    /** The exit code of a process that halted as it should. */
    static final int HALTED = 86;

    private static final long LONGEST_WAIT_SECONDS = 10;

    private final Moment moment;
    private final CountDownLatch alive;

    private DoomedLeaders(Moment moment, int leaders) {
        this.moment = moment;
        this.alive = new CountDownLatch(leaders);
    }

    /** Arguments: the protocol and the moment. The databases' addresses come in the environment. */
    public static void main(String[] args) throws Exception {
        Protocol protocol = Protocol.valueOf(args[0]);
        Storage.Place place = new Storage.Place(
                protocol,
                DatabaseAddress.from(System.getenv(), "RECORDS"),
                DatabaseAddress.from(System.getenv(), "GROUPS"));
        List<CreateGroupRequest> requests = RequestFile.read(System.in).requests();
        DoomedLeaders doomed = new DoomedLeaders(Moment.valueOf(args[1]), requests.size());
        try (Storage storage = Storage.connect(place)) {
            UseCase useCase = storage.useCase(doomed.groups(), doomed.listener(), Duration.ofMinutes(1));
            new Clients(requests.size(), request -> Answer.of(useCase, request), System.out, new AtomicBoolean())
                    .send("leading", requests)
                    .forEach(sent -> System.out.println("Not killed, but " + sent.answer()));
        }
    }

    private void reached(Moment now) {
        if (now == moment) {
            alive.countDown();
            try {
                if (alive.await(LONGEST_WAIT_SECONDS, TimeUnit.SECONDS)) {
                    Runtime.getRuntime().halt(HALTED);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private Groups groups() {
        return new Groups() {
            @Override
            public void insert(Handle handle, GroupCreated planned, CreateGroupRequest request) {
                super.insert(handle, planned, request);
                if (moment == Moment.BEFORE_MARK) {
                    handle.afterCommit(() -> reached(Moment.BEFORE_MARK));
                }
                reached(Moment.BEFORE_COMMIT);
            }
        };
    }

    private IdempotencyListener listener() {
        return IdempotencyListener.on(IdempotencyEvent.Succeeded.class, event -> reached(Moment.AFTER_COMMIT));
    }
}
