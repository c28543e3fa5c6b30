package io.counterpoint.idempotency.examples.groupcreation.breaker;

import io.counterpoint.idempotency.IdempotencyListener;
import io.counterpoint.idempotency.examples.groupcreation.CreateGroupRequest;
import io.counterpoint.idempotency.examples.groupcreation.Groups;
import io.counterpoint.idempotency.examples.groupcreation.breaker.Answer.Kind;
import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.DatabaseAddress;
import io.counterpoint.idempotency.programs.TemporaryH2;
import io.counterpoint.idempotency.programs.TextTable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jdbi.v3.core.Jdbi;

/**
 * Runs the sample in three parts: without the library, with it, and with a leader that is killed between the commits to
 * two databases. It explains each result and its terms, and prints the same numbers in every run.
 */
final class Story {

    private static final int CLIENTS = 16;
    private static final PrintStream NOWHERE =
            new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
    private static final CreateGroupRequest CHESS =
            new CreateGroupRequest("ann", "key-of-ann", "Chess", List.of("bob", "cid"));

    private final PrintStream out;
    private final AtomicBoolean stopped;

    Story(PrintStream out, AtomicBoolean stopped) {
        this.out = out;
        this.stopped = stopped;
    }

    /** Returns whether the library kept its promises. */
    boolean tell() throws CannotRun, IOException, InterruptedException {
        RequestFile file = RequestFile.read(Optional.empty());
        try (TemporaryH2 h2 = TemporaryH2.inFolder("group-creation-")) {
            out.printf("""
                    %,d requests to create a group, from %d concurrent clients. Each client
                    picks a key for what it wants once. Duplicates and retries carry that key,
                    a few clients reuse a key for another group, and the network loses replies.

                    1. Unprotected: the requests run without the library.

                    """, file.lines(), CLIENTS);
            Verification unprotected = send(file, h2.here("unprotected"), false);
            out.println("""

                       Surplus groups are those beyond one per key: duplicates, retries and reused
                       keys created them. Had these been payments, customers would have paid twice.

                    2. Protected: the same requests and the same lost replies, with the library.
                    """);
            Verification verified = send(file, h2.here("protected"), true);
            out.println("""

                       The first request with a key created the group. Duplicates and retries were
                       replayed: they got the first response. Reuse for another group was rejected.

                    3. Killed leader: the process that executes a key's first request is killed.
                    """);
            boolean healed = killLeader(h2);
            out.println("""

                       It had committed the group in one database, but not the record in another.
                       The retry healed the key: it looked up the group, found it, and completed
                       the record instead of creating a second group.
                    """);
            return result(unprotected, verified, healed);
        }
    }

    private boolean result(Verification unprotected, Verification verified, boolean healed) {
        boolean kept = verified.passed() && healed;
        out.printf(
                "%s: %d surplus groups unprotected, %d protected, killed leader's key %s.%n",
                kept ? "Result" : "NOT as promised",
                unprotected.surplus(),
                verified.surplus(),
                healed ? "healed" : "NOT healed");
        return kept;
    }

    /** Sends all requests to an empty database, and counts the results there. */
    private Verification send(RequestFile file, DatabaseAddress database, boolean withLibrary)
            throws CannotRun, InterruptedException {
        Groups groups = new Groups();
        try (Storage storage = connect(new Storage.Place(Protocol.CLAIM_FIRST, database, database), groups)) {
            Jdbi jdbi = storage.groups().jdbi();
            UseCase useCase = storage.useCase(groups, IdempotencyListener.NONE, settings -> settings);
            LostReplies network = new LostReplies(
                    request -> withLibrary ? Answer.of(useCase, request) : Answer.unprotected(jdbi, groups, request));
            List<Clients.Sent> sent = new Clients(CLIENTS, network, NOWHERE, stopped).send("", file.requests());
            Verification verification = Verification.of(sent, WrittenGroup.all(jdbi), Set.of());
            new TextTable()
                    .row("   lost replies", network.lost())
                    .row("   keys with a successful response", verification.successful())
                    .row("   groups in the database", verification.groups())
                    .row("   surplus groups", verification.surplus())
                    .print(out);
            return verification;
        }
    }

    private boolean killLeader(TemporaryH2 h2) throws CannotRun, IOException, InterruptedException {
        Storage.Place here = new Storage.Place(Protocol.EXTERNAL, h2.here("records"), h2.here("groups"));
        Storage.Place there = new Storage.Place(Protocol.EXTERNAL, h2.remote("records"), h2.remote("groups"));
        Groups groups = new Groups();
        try (Storage storage = connect(here, groups)) {
            UseCase useCase = storage.useCase(groups, IdempotencyListener.NONE, settings -> settings);
            Crash crash = new Crash(storage, there, useCase, NOWHERE, stopped);
            Crash.Killed killed = crash.kill(Moment.BEFORE_MARK, List.of(CHESS));
            Answer retry = killed.retries().get(0).answer();
            new TextTable()
                    .row("   when", "groups", "record of the key")
                    .row(
                            "   after the kill",
                            killed.groupsLeft(),
                            killed.records().get(0))
                    .row("   after a retry", killed.groupsThen(), crash.stateOfRecord(CHESS))
                    .print(out);
            return retry.kind() == Kind.HEALED && killed.groupsThen() == 1;
        }
    }

    private static Storage connect(Storage.Place place, Groups groups) throws CannotRun {
        Storage storage = Storage.connect(place);
        storage.createTables(groups);
        return storage;
    }
}
