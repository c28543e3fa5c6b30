package io.counterpoint.idempotency.explorer;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.broken.BrokenStore;
import io.counterpoint.idempotency.explorer.Configuration.Abandoned;
import io.counterpoint.idempotency.explorer.Exploration.CounterExample;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each rule of the protocol is there for a reason: without it, the explorer finds a schedule that breaks a promise. */
@Tag("mutants")
class MutantsTest {

    private static final Configuration EXTERNAL = Configuration.external();
    private static final Configuration THEN = EXTERNAL.followingUp();
    private static final Configuration FAIL = Configuration.claimFirst(Abandoned.FAIL);
    private static final Configuration TAKE_OVER = Configuration.claimFirst(Abandoned.TAKE_OVER);

    private static final Configuration SINGLE = Configuration.singleTransaction();

    private static final Configuration LAST = Configuration.recordLast(Abandoned.FAIL);

    private static final Bounds SMALL = new Bounds(2, 2, 1, 1, 1, 1, 0);
    private static final Bounds PROMOTED = new Bounds(2, 2, 2, 1, 1, 0, 0);
    private static final Bounds ALONE = new Bounds(1, 1, 1, 0, 1, 0, 0);
    private static final Bounds TWICE = new Bounds(2, 1, 1, 0, 1, 0, 0);
    private static final Bounds ONCE = new Bounds(2, 1, 1, 0, 0, 1, 0);
    private static final Bounds ENDED = new Bounds(2, 2, 0, 0, 1, 0, 0);
    private static final Bounds ALONE_AGAIN = new Bounds(1, 2, 0, 0, 1, 0, 0);
    private static final Bounds PROMOTED_ONLY = new Bounds(2, 2, 2, 1, 0, 0, 0);
    private static final Bounds WITH_PURGE = new Bounds(2, 2, 0, 0, 0, 0, 1);

    static Stream<Scenario> mutants() {
        return Stream.of(
                Scenario.of("takeover without a fresh token", SMALL, TAKE_OVER)
                        .above(BrokenStore.TAKE_OVER_KEEPS_THE_OLD_TOKEN::over),
                Scenario.of("a counter instead of a random token", SMALL, EXTERNAL.releasing())
                        .above(BrokenStore.TOKENS_ARE_COUNTED::over),
                Scenario.of("success mark outside the transaction", SMALL, FAIL).above(BrokenStore.MARK_OUTSIDE::over),
                Scenario.of("failed on an unknown commit", SMALL, FAIL)
                        .above(BrokenStore.FAILED_ON_UNKNOWN_COMMIT::over),
                Scenario.of("absent means failed", SMALL, EXTERNAL).above(AbsentMeansFailed::new),
                Scenario.of("heal without compare-and-set", WITH_PURGE, EXTERNAL)
                        .beneath(BrokenStore.SUCCEED_IGNORES_THE_TOKEN::over),
                Scenario.of("EXTERNAL with takeover", SMALL, EXTERNAL, TAKE_OVER)
                        .above(BrokenStore.ARBITER_USES_ITS_OWN_PROTOCOL::over),
                Scenario.of("purge of Pending", WITH_PURGE, EXTERNAL)
                        .beneath(BrokenStore.PURGE_TAKES_PENDING_RECORDS::over),
                Scenario.of("release of any token", SMALL, EXTERNAL.releasing())
                        .beneath(BrokenStore.RELEASE_IGNORES_THE_TOKEN::over),
                Scenario.of("release without proof", SMALL, EXTERNAL.releasing().believingEverything()),
                Scenario.of("failed before durable", SMALL, FAIL).above(BrokenStore.FAILED_BEFORE_DURABLE::over),
                Scenario.of("asynchronous claim with EXTERNAL", SMALL, EXTERNAL)
                        .above(BrokenStore.CLAIM_IS_ASYNCHRONOUS::over),
                Scenario.of("a throw from an EXTERNAL effect taken as proof", SMALL, EXTERNAL.believingEverything()),
                Scenario.of("the arbiter's own protocol instead of the record's", SMALL, EXTERNAL, FAIL)
                        .above(BrokenStore.ARBITER_USES_ITS_OWN_PROTOCOL::over),
                Scenario.of("success confirmed by reading, beside a standby", PROMOTED, FAIL)
                        .above(BrokenStore.CONFIRMED_BY_A_READ::over)
                        .withStandby(),
                Scenario.of("success of one transaction confirmed by reading, beside a standby", PROMOTED, SINGLE)
                        .above(BrokenStore.CONFIRMED_BY_A_READ::over)
                        .withStandby(),
                Scenario.of("claim of an external effect confirmed by reading", PROMOTED, EXTERNAL)
                        .above(BrokenStore.CONFIRMED_BY_A_READ::over)
                        .withStandby(),
                Scenario.of("follow-up of the caller's own protocol", ONCE, THEN, EXTERNAL)
                        .above(BrokenStore.FOLLOW_UP_IS_FORGOTTEN::over),
                Scenario.of("mark outside the transaction of a follow-up", SMALL, THEN)
                        .above(BrokenStore.MARK_OUTSIDE::over),
                Scenario.of("follow-up without lock and check", SMALL, THEN)
                        .above(BrokenStore.STALE_LEADER_PASSES::over),
                Scenario.of("follow-up confirmed by reading, beside a standby", PROMOTED_ONLY, THEN)
                        .above(BrokenStore.CONFIRMED_BY_A_READ::over)
                        .withStandby(),
                Scenario.of("follow-up whose failure is the attempt's", SMALL, THEN)
                        .above(BrokenStore.FOLLOW_UP_FAILS_THE_ATTEMPT::over),
                Scenario.of("broken follow-up that runs again", ALONE_AGAIN, THEN.endingTransactions())
                        .above(BrokenStore.BROKEN_FOLLOW_UP_IS_FORGOTTEN::over),
                Scenario.of("follow-up without a record", WITH_PURGE, THEN)
                        .above(BrokenStore.FOLLOW_UP_WITHOUT_A_RECORD::over),
                Scenario.of("insert with the commit that leaves the record out", SMALL, LAST)
                        .above(BrokenStore.INSERT_LEAVES_THE_RECORD_OUT::over),
                Scenario.of("refusal without a look at the record", SMALL, LAST)
                        .above(BrokenStore.READ_FINDS_NOTHING::over),
                Scenario.of("failure of work without a claim that is not inserted", SMALL, LAST)
                        .above(BrokenStore.FAILURE_IS_NOT_INSERTED::over),
                Scenario.of("release after a commit that may arrive late", SMALL, LAST)
                        .above(BrokenStore.FAIL_REMOVES_THE_RECORD::over),
                Scenario.of("end of a record inserted last confirmed by reading", PROMOTED, LAST)
                        .above(BrokenStore.CONFIRMED_BY_A_READ::over)
                        .withStandby(),
                Scenario.of(
                                "work that ended its transaction leaves a record that is arbitrated",
                                ENDED,
                                FAIL.endingTransactions())
                        .above(BrokenStore.CLAIM_FORGETS_THE_PROTOCOL::over),
                Scenario.of("marks that commit asynchronously", SMALL, FAIL).withAsynchronousMarks(),
                Scenario.of("doubt cleared at the claim, over nodes", ALONE, SINGLE.releasing())
                        .above(BrokenStore.LOCKS_ARE_TAKEN_FOR_GLOBAL::over)
                        .withLocalLocks(),
                Scenario.of("release after a doubt, over nodes", ALONE, SINGLE.releasing())
                        .above(BrokenStore.RELEASES_AFTER_A_DOUBT::over)
                        .withLocalLocks(),
                Scenario.of("release without a write, over nodes", TWICE, SINGLE.releasing())
                        .above(BrokenStore.RELEASES_WITHOUT_A_WRITE::over)
                        .withLocalLocks(),
                Scenario.of("arbiter that believes before its commit, over nodes", ONCE, FAIL)
                        .above(BrokenStore.ARBITER_BELIEVES_BEFORE_ITS_COMMIT::over)
                        .withLocalLocks(),
                Scenario.of("heartbeat without a change, over nodes", ONCE, FAIL.retrying())
                        .withIdleHeartbeats()
                        .withLocalLocks(),
                Scenario.of("conflict taken for the work's doing, over nodes", ONCE, FAIL)
                        .above(BrokenStore.LOCKS_ARE_TAKEN_FOR_GLOBAL::over)
                        .withLocalLocks());
    }

    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @Timeout(600)
    @MethodSource("mutants")
    void mutantIsRefuted(Scenario mutant) {
        Exploration refuted = Explorer.refute(mutant);

        System.out.println(refuted);
        CounterExample example = refuted.counterExample();
        assertThat(example).as(mutant.name()).isNotNull();
        assertThat(Explorer.replay(refuted.scenario(), example.choices())).isEqualTo(example);
    }
}
