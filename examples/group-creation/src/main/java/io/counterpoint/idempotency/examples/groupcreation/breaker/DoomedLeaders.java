package io.counterpoint.idempotency.examples.groupcreation.breaker;

import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyListener;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.examples.groupcreation.CreateGroupRequest;
import io.counterpoint.idempotency.examples.groupcreation.GroupCreated;
import io.counterpoint.idempotency.examples.groupcreation.Groups;
import io.counterpoint.idempotency.programs.DatabaseAddress;
import io.counterpoint.idempotency.programs.process.JavaProgram;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.Handle;

/**
 * A process that is the leader for several keys at once and prints the library's events to standard output. When all
 * leaders have reached the given moment, they wait there for a line on standard input, or for {@code kill -9}. The
 * process exits when its parent does.
 */
public final class DoomedLeaders implements IdempotencyListener {

    /** The prefix of each leader's last line. */
    public static final String ANSWERED = "answered ";

    private static final String STOPPED = "stopped ";
    private static final String REQUESTS = "REQUESTS";

    private final Moment moment;
    private final AtomicInteger missing;
    private final CountDownLatch goOn = new CountDownLatch(1);

    private DoomedLeaders(Moment moment, int leaders) {
        this.moment = moment;
        this.missing = new AtomicInteger(leaders);
    }

    /**
     * Returns this program, to be run on existing databases. It is ready once its leaders are waiting.
     *
     * @param abandoned what its leaders do with keys that others have abandoned
     */
    public static JavaProgram program(
            Storage.Place place,
            Moment moment,
            Operation.Abandoned abandoned,
            Duration grace,
            List<CreateGroupRequest> requests) {
        // Other users of the machine can read a process's arguments, so pass these in the environment.
        Map<String, String> environment = new HashMap<>(Map.of(REQUESTS, RequestFile.print(requests)));
        place.records().into(environment, "RECORDS");
        place.groups().into(environment, "GROUPS");
        List<String> arguments = List.of(place.protocol().name(), moment.name(), abandoned.name(), grace.toString());
        return new JavaProgram("leaders", DoomedLeaders.class, STOPPED, List.of(), arguments, environment);
    }

    /** Arguments: protocol, moment, what to do with abandoned keys, grace period. */
    public static void main(String[] args) throws Exception {
        Storage.Place place = new Storage.Place(
                Protocol.valueOf(args[0]),
                DatabaseAddress.from(System.getenv(), "RECORDS"),
                DatabaseAddress.from(System.getenv(), "GROUPS"));
        byte[] file = Objects.requireNonNull(System.getenv(REQUESTS)).getBytes(StandardCharsets.UTF_8);
        List<CreateGroupRequest> requests =
                RequestFile.read(new ByteArrayInputStream(file)).requests();
        DoomedLeaders doomed = new DoomedLeaders(Moment.valueOf(args[1]), requests.size());
        ExecutorService leaders = Executors.newFixedThreadPool(requests.size());
        try (Storage storage = Storage.connect(place)) {
            UseCase useCase = storage.useCase(
                    doomed.groups(),
                    doomed,
                    settings -> settings.whenAbandoned(Operation.Abandoned.valueOf(args[2]), Duration.parse(args[3])));
            requests.forEach(request -> leaders.execute(
                    () -> say(ANSWERED + Answer.of(useCase, request).kind())));
            leaders.shutdown();
            boolean unused = leaders.awaitTermination(1, TimeUnit.HOURS);
        }
    }

    private static void say(String line) {
        System.out.println(line);
    }

    @Override
    public void onEvent(IdempotencyEvent event) {
        say(event.name());
        if (event instanceof IdempotencyEvent.Claimed) {
            reached(Moment.CLAIMED);
        } else if (event instanceof IdempotencyEvent.Succeeded) {
            reached(Moment.AFTER_COMMIT);
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

    /** Waits the first time only; if the work runs again, it continues. */
    private void reached(Moment now) {
        if (now != moment || goOn.getCount() == 0) {
            return;
        }
        try {
            if (missing.decrementAndGet() > 0) {
                goOn.await();
                return;
            }
            say(STOPPED + moment);
            if (System.in.read() < 0) {
                // The parent is gone, so nobody will release the leaders.
                Runtime.getRuntime().halt(1);
            }
            goOn.countDown();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
