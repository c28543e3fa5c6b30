package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.examples.appplatform.process.JavaProgram;
import io.counterpoint.idempotency.examples.appplatform.usecase.Step;
import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.DatabaseAddress;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

/**
 * A second node of the service, in a process of its own, that is going to be killed. The first thread at a step stops
 * there for good. When there is one at every step, the node says so and waits for {@code kill -9}.
 */
final class DoomedNode {

    static final String READY = "listening on ";
    static final String DOOMED = "a leader at every step";

    /** The beginning of the variables that say where the database is. */
    static final String ENVIRONMENT = "APP_PLATFORM";

    /** The variable that says where the payment provider is. */
    static final String PROVIDER = "APP_PLATFORM_PROVIDER";

    /** The variable that says where artifacts are. */
    static final String ARTIFACTS = "APP_PLATFORM_ARTIFACTS";

    private final Set<Step> taken = EnumSet.noneOf(Step.class);

    private DoomedNode() {}

    /** This, to be run on an existing database. */
    static JavaProgram program(DatabaseAddress database, Outside outside) {
        return new JavaProgram(
                "doomed node", DoomedNode.class, READY, List.of(), List.of(), environment(database, outside));
    }

    /** What a node finds in its environment. */
    static Map<String, String> environment(DatabaseAddress database, Outside outside) {
        Map<String, String> environment = new HashMap<>();
        database.into(environment, ENVIRONMENT);
        environment.put(PROVIDER, outside.providerUrl());
        environment.put(ARTIFACTS, outside.artifactFolder().toString());
        RedisAddress.into(environment, outside.redis());
        return environment;
    }

    /** What {@link #environment} says of what is outside. */
    static Outside outside(Map<String, String> environment) throws CannotRun {
        return Outside.at(
                        Objects.requireNonNull(environment.get(PROVIDER)),
                        Path.of(Objects.requireNonNull(environment.get(ARTIFACTS))))
                .with(RedisAddress.from(environment));
    }

    /** The addresses of the database and of what is outside come in the environment. */
    public static void main(String[] args) throws CannotRun, InterruptedException {
        DoomedNode doomed = new DoomedNode();
        Database database = Database.connect(DatabaseAddress.from(System.getenv(), ENVIRONMENT));
        Outside outside = outside(System.getenv());
        Platform platform = new Platform(database, outside, Platform.Times.USUAL, doomed::at, System.err::println);
        Api api = new Api(platform, 0, Operator.none(), System.err::println);
        System.out.println(READY + api.url());
        new CountDownLatch(1).await();
    }

    private void at(Step step) {
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
    }
}
