package io.counterpoint.idempotency.testkit.explorer;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.testkit.explorer.Configuration.Abandoned;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * No schedule within the bounds breaks a promise. For larger bounds:
 *
 * <pre>{@code mvn test -Dtest=ExplorerTest -Dexplorer.callers=3 -Dexplorer.faults=2}</pre>
 */
class ExplorerTest {

    private static final int CALLERS = Integer.getInteger("explorer.callers", 2);
    private static final int TRIES = Integer.getInteger("explorer.tries", 2);
    private static final int FAULTS = Integer.getInteger("explorer.faults", 1);

    /** A server that loses its last claims is one of the faults; the work may throw once. */
    private static final Bounds BOUNDS = new Bounds(CALLERS, TRIES, FAULTS, 1, 1, 0, 0);

    private static final Bounds ONE_MORE = new Bounds(CALLERS, TRIES, FAULTS + 1, 1, 1, 0, 0);
    private static final Bounds WITH_GRACE = new Bounds(CALLERS, TRIES, FAULTS, 1, 1, 1, 0);
    private static final Bounds WITHOUT_FAILURES = new Bounds(CALLERS, TRIES, FAULTS, 1, 0, 1, 0);
    private static final Bounds WITH_PURGE = new Bounds(CALLERS, TRIES, FAULTS - 1, 0, 0, 0, 1);

    private static final Configuration FAIL = Configuration.claimFirst(Abandoned.FAIL);
    private static final Configuration TAKE_OVER = Configuration.claimFirst(Abandoned.TAKE_OVER);
    private static final Configuration LEAVE = Configuration.claimFirst(Abandoned.LEAVE);
    private static final Configuration SINGLE = Configuration.singleTransaction();
    private static final Configuration EXTERNAL = Configuration.external();

    static Stream<Scenario> scenarios() {
        return Stream.of(
                Scenario.of("CLAIM_FIRST, fail", WITH_GRACE, FAIL),
                Scenario.of("CLAIM_FIRST, fail, retry", WITHOUT_FAILURES, FAIL.retrying()),
                Scenario.of(
                        "CLAIM_FIRST, fail, plan, look-up",
                        WITHOUT_FAILURES,
                        FAIL.withPlan().lookingUp()),
                Scenario.of("CLAIM_FIRST, fail, release", BOUNDS, FAIL.releasing()),
                Scenario.of("CLAIM_FIRST, fail, wait", WITHOUT_FAILURES, FAIL.waiting()),
                Scenario.of("CLAIM_FIRST, take over", WITH_GRACE, TAKE_OVER),
                Scenario.of("CLAIM_FIRST, take over, plan", WITHOUT_FAILURES, TAKE_OVER.withPlan()),
                Scenario.of("CLAIM_FIRST, leave, look-up", BOUNDS, LEAVE.lookingUp()),
                Scenario.of("CLAIM_FIRST, fail, purge", WITH_PURGE, FAIL),
                Scenario.of("SINGLE_TRANSACTION", ONE_MORE, SINGLE),
                Scenario.of("SINGLE_TRANSACTION, plan", ONE_MORE, SINGLE.withPlan()),
                Scenario.of(
                        "SINGLE_TRANSACTION, retry, release",
                        BOUNDS,
                        SINGLE.retrying().releasing()),
                Scenario.of(
                        "SINGLE_TRANSACTION, plan, retry, purge",
                        WITH_PURGE,
                        SINGLE.withPlan().retrying()),
                Scenario.of("EXTERNAL", BOUNDS, EXTERNAL),
                Scenario.of("EXTERNAL, plan, wait", BOUNDS, EXTERNAL.withPlan().waiting()),
                Scenario.of("EXTERNAL, release", BOUNDS, EXTERNAL.releasing()),
                Scenario.of("EXTERNAL, purge", WITH_PURGE, EXTERNAL),
                Scenario.of("EXTERNAL beside CLAIM_FIRST, take over", WITHOUT_FAILURES, EXTERNAL, TAKE_OVER),
                Scenario.of("EXTERNAL beside CLAIM_FIRST, fail", WITHOUT_FAILURES, EXTERNAL, FAIL),
                Scenario.of("SINGLE_TRANSACTION beside CLAIM_FIRST, take over", WITHOUT_FAILURES, SINGLE, TAKE_OVER));
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void noScheduleBreaksAPromise(Scenario scenario) {
        Exploration explored = Explorer.explore(scenario);

        System.out.println(explored);
        assertThat(explored.counterExample()).as(scenario.name()).isNull();
    }
}
