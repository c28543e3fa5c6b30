package io.counterpoint.idempotency.examples.groupcreation.breaker;

import io.counterpoint.idempotency.IdempotencyListener;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.examples.groupcreation.CreateGroupRequest;
import io.counterpoint.idempotency.examples.groupcreation.Groups;
import io.counterpoint.idempotency.examples.groupcreation.breaker.Clients.Sent;
import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.Program;
import io.counterpoint.idempotency.programs.TemporaryH2;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jdbi.v3.core.Jdbi;

/** The program: many clients send the requests from a file, and the results are verified in the database. */
public final class GroupCreation {

    private static final int VERIFIED = 0;
    private static final int NOT_VERIFIED = 1;
    private static final int COULD_NOT_RUN = 2;

    private static final Program PROGRAM = new Program("group-creation", COULD_NOT_RUN);

    /** How long a leader may be silent before its key counts as abandoned. */
    private static final Duration GRACE = Duration.ofMinutes(1);

    private static final Duration GRACE_WITH_CRASH = Duration.ofSeconds(1);

    private static final int LOSES_EVERY = 10;
    private static final int FAILS_EVERY = 50;

    private final PrintStream out;
    private final AtomicBoolean stopped;

    private GroupCreation(PrintStream out, AtomicBoolean stopped) {
        this.out = out;
        this.stopped = stopped;
    }

    /** Runs the program and exits. On Ctrl-C, clients finish their current request; the rest runs as usual. */
    public static void main(String[] args) {
        AtomicBoolean stopped = new AtomicBoolean();
        PROGRAM.exitAfter(
                () -> run(args, System.out, System.err, stopped), () -> stopped.set(true), Duration.ofSeconds(10));
    }

    /** Runs the program without exiting the process. */
    static int run(String[] args, PrintStream out, PrintStream err, AtomicBoolean stopped) {
        return PROGRAM.run(err, () -> {
            BreakerOptions options = BreakerOptions.parse(args);
            if (options.asksForHelp()) {
                out.print(options.usage());
                return VERIFIED;
            }
            boolean verified =
                    options.story ? new Story(out, stopped).tell() : new GroupCreation(out, stopped).run(options);
            return verified ? VERIFIED : NOT_VERIFIED;
        });
    }

    private boolean run(BreakerOptions options) throws CannotRun, IOException, InterruptedException {
        RequestFile file = RequestFile.read(options.requests);
        if (options.jdbcUrl.isPresent()) {
            Storage.Place place = options.at(options.jdbcUrl.get());
            return run(options, file, place, place);
        }
        try (TemporaryH2 h2 = TemporaryH2.inFolder("group-creation-")) {
            Protocol protocol = options.protocolOrDefault();
            String groups = protocol == Protocol.EXTERNAL ? "groups" : "records";
            Storage.Place place = new Storage.Place(protocol, h2.here("records"), h2.here(groups));
            Storage.Place placeForOthers =
                    options.crash ? new Storage.Place(protocol, h2.remote("records"), h2.remote(groups)) : place;
            return run(options, file, place, placeForOthers);
        }
    }

    private boolean run(BreakerOptions options, RequestFile file, Storage.Place place, Storage.Place placeForOthers)
            throws CannotRun, IOException, InterruptedException {
        try (Storage storage = Storage.connect(place)) {
            Groups groups = new Groups();
            storage.createTables(groups);
            Jdbi jdbi = storage.groups().jdbi();
            Set<UUID> before = WrittenGroup.identifiers(WrittenGroup.all(jdbi));
            UseCase useCase = storage.useCase(
                    groups,
                    IdempotencyListener.NONE,
                    settings ->
                            settings.whenAbandoned(Operation.Abandoned.FAIL, options.crash ? GRACE_WITH_CRASH : GRACE));
            Function<CreateGroupRequest, Answer> server = options.unprotected
                    ? request -> Answer.unprotected(jdbi, groups, request)
                    : request -> Answer.of(useCase, request);
            Clients clients = new Clients(options.clients, server, out, stopped);

            BreakerReport report = new BreakerReport(out, options, file);
            report.start();
            List<Sent> all = new ArrayList<>();
            LossyHub hub = new LossyHub(LOSES_EVERY, FAILS_EVERY);
            try (Delivery delivery = new Delivery(storage.groups(), groups, hub, file.requests())) {
                if (options.crash) {
                    List<Crash.Killed> killed =
                            new Crash(storage, placeForOthers, useCase, out, stopped).run(file.requests());
                    report.killed(killed);
                    killed.forEach(one -> all.addAll(one.retries()));
                }
                List<Sent> sent = clients.send("sending", file.requests());
                all.addAll(sent);
                delivery.await(out, stopped);
                Delivered delivered = delivery.result(all, stopped.get());
                Verification verification = Verification.of(all, WrittenGroup.all(jdbi), before);
                report.answers(sent, verification);
                report.database(verification);
                report.delivery(verification, delivered);
                report.verdict(verification, delivered);
                return verification.passed() && delivered.passed();
            }
        }
    }
}
