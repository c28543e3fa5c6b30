package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.examples.appplatform.usecase.Step;
import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.DatabaseAddress;
import io.counterpoint.idempotency.programs.process.JavaProgram;
import java.io.IOException;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

/**
 * A node of the service in its own process, to be killed. The first thread at each step stops there forever, and the
 * node reports when there is one at every step. It does no upkeep, and exits when its parent process does.
 */
final class NodeMain {

    /** Printed when there is a leader at every step. */
    static final String DOOMED = "a leader at every step";

    private static final String READY = "listening on ";

    /** The prefix of the variables with the database's address. */
    private static final String ENVIRONMENT = "APP_PLATFORM";

    private NodeMain() {}

    /** Returns this program, to be run on an existing database. */
    static JavaProgram program(DatabaseAddress database, Outside outside) {
        Map<String, String> environment = new HashMap<>();
        database.into(environment, ENVIRONMENT);
        outside.into(environment);
        return new JavaProgram("doomed node", NodeMain.class, READY, List.of(), List.of(), environment);
    }

    /** The addresses of the database and of everything outside it are passed in the environment. */
    public static void main(String[] args) throws CannotRun, IOException {
        Consumer<String> log = System.err::println;
        try (PlatformDatabase database = PlatformDatabase.connect(DatabaseAddress.from(System.getenv(), ENVIRONMENT));
                Platform platform =
                        new Platform(database, Outside.from(System.getenv()), Platform.Times.USUAL, stopAtEach(), log);
                Api api = new Api(platform, 0, Operator.none(), log)) {
            System.out.println(READY + api.url());
            // Standard input ends when the parent process does.
            int unused = System.in.read();
        }
    }

    private static Consumer<Step> stopAtEach() {
        Set<Step> taken = EnumSet.noneOf(Step.class);
        return step -> {
            synchronized (taken) {
                if (!taken.add(step)) {
                    return;
                }
                if (taken.size() == Step.values().length) {
                    System.out.println(DOOMED);
                }
            }
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
    }
}
