package io.counterpoint.idempotency.jdbc.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.testing.Cut;
import io.counterpoint.idempotency.testkit.ControllableClock;
import io.counterpoint.idempotency.testkit.faults.FaultyStore;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Future;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What others do while a call is at a chosen step: followers heal and arbitrate, the purge runs, a clock jumps. */
@Tag("thorough")
@Timeout(60)
class MeanwhileTest {

    private static final Duration YEARS = Duration.ofDays(3650);

    private final ControllableClock clock = new ControllableClock();
    private Bench bench;
    private FaultyStore<Handle> store;

    @BeforeEach
    void open() {
        bench = Bench.shared();
        store = FaultyStore.around(JdbiIdempotencyStore.on(bench.victim()));
    }

    @AfterEach
    void close() {
        bench.close();
    }

    /** Its records expire at once. */
    private Trial shortLived(ProtocolVariant way) {
        return bench.trial(way)
                .over(store)
                .inDatabase(operation -> operation.retention(Duration.ofNanos(1000)))
                .outside(operation -> operation.retention(Duration.ofNanos(1000)));
    }

    /** On another thread, as every other process is. */
    private int purged() {
        return Bench.end(Bench.begin(() -> bench.directStore().purgeExpired(100)));
    }

    private void anotherSucceedsAndIsPurged(Trial trial) {
        trial.anotherSucceeds();
        assertThat(purged()).isEqualTo(1);
    }

    // ---- a follower, meanwhile -----------------------------------------------------------------------------------

    /** The grace is over at once, so the follower looks whether the leader is alive: it holds its lock. */
    @ParameterizedTest
    @EnumSource(names = {"CLAIM_FIRST", "CLAIM_FIRST_PLANNED"})
    void followerThatArbitratesAtTheMarkOfALiveLeaderIsInProgress(ProtocolVariant way) {
        followerIsInProgressAt(Step.MARK, way);
    }

    @ParameterizedTest
    @EnumSource(names = {"CLAIM_FIRST", "CLAIM_FIRST_PLANNED"})
    void followerThatArbitratesAtTheCommitOfALiveLeaderIsInProgress(ProtocolVariant way) {
        followerIsInProgressAt(Step.COMMIT, way);
    }

    private void followerIsInProgressAt(Step step, ProtocolVariant way) {
        Trial trial = bench.trial(way);
        bench.cut(step, Cut.HOLD);
        Future<Outcome<String>> call = trial.begin();
        bench.awaitCut();
        assertThat(trial.retryAfterTheGrace()).isInstanceOf(Outcome.InProgress.class);
        bench.proxy.heal();
        assertThat(Bench.end(call)).isInstanceOf(Outcome.Executed.class);
        trial.hasRun(1).succeededOnce();
    }

    /** No {@code Pending} is visible: followers wait in the database, and follow what was committed. */
    @ParameterizedTest
    @EnumSource(names = {"SINGLE_TRANSACTION", "SINGLE_TRANSACTION_PLANNED"})
    void followerOfASingleTransactionWaitsForItsCommit(ProtocolVariant way) {
        Trial trial = bench.trial(way).inDatabase(operation -> operation.waitAtMost(Bench.BOUND));
        bench.cut(Step.COMMIT, Cut.HOLD);
        Future<Outcome<String>> call = trial.begin();
        bench.awaitCut();
        assertThat(trial.state()).isEqualTo("-");
        Future<Outcome<String>> follower = Bench.begin(trial::retry);
        Bench.await(
                "the follower waits in the database",
                () -> bench.direct.withHandle(handle -> handle.createQuery(
                                        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0")
                                .mapTo(Integer.class)
                                .one())
                        == 1);
        bench.proxy.heal();
        assertThat(Bench.end(call)).isInstanceOf(Outcome.Executed.class);
        assertThat(Bench.end(follower)).isInstanceOf(Outcome.Replayed.class);
        trial.hasRun(1).succeededOnce();
    }

    // ---- the purge, meanwhile ------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource
    void purgeInTheWorkTakesNothing(ProtocolVariant way) {
        Trial trial = shortLived(way);
        assertThat(trial.call(doing -> {
                    assertThat(purged()).isZero();
                    doing.write();
                }))
                .isInstanceOf(Outcome.Executed.class);
        trial.hasRun(1).succeededOnce();
    }

    @ParameterizedTest
    @MethodSource("io.counterpoint.idempotency.jdbc.faults.ProtocolVariant#marked")
    void purgeAfterTheMarkTakesNothing(ProtocolVariant way) {
        Trial trial = shortLived(way);
        store.at(StoreCall.SUCCEED).after(() -> assertThat(purged()).isZero());
        trial.executes(1);
    }

    @ParameterizedTest
    @MethodSource("io.counterpoint.idempotency.jdbc.faults.ProtocolVariant#inDatabase")
    void purgeWhileTheCommitIsOnItsWayTakesNothing(ProtocolVariant way) {
        Trial trial = shortLived(way);
        bench.cut(Step.COMMIT, Cut.HOLD);
        Future<Outcome<String>> call = trial.begin();
        bench.awaitCut();
        assertThat(purged()).isZero();
        bench.proxy.heal();
        assertThat(Bench.end(call)).isInstanceOf(Outcome.Executed.class);
        trial.hasRun(1).succeededOnce();
    }

    /** Somebody else has ended the attempt, which expired: the key is a new key, and nothing is put in its place. */
    @Test
    void failureOfAKeyThatWasPurgedMeanwhileIsNotInserted() {
        Trial trial = shortLived(ProtocolVariant.CLAIM_FIRST);
        store.at(StoreCall.FAIL).before(() -> {
            anotherSucceedsAndIsPurged(trial);
            store.at(StoreCall.CLAIM).before(() -> assertThat(trial.state()).isEqualTo("-"));
        });
        IllegalStateException first = new IllegalStateException("first");
        assertThat(trial.call(doing -> {
                    if (doing.run() == 1) {
                        throw first;
                    }
                    doing.write();
                }))
                .isInstanceOf(Outcome.Executed.class);
        trial.hasRun(2).succeededOnce();
    }

    /** It has seen the effect: neither does it look for a record to change again, nor is the work run for a new key. */
    @ParameterizedTest
    @MethodSource("io.counterpoint.idempotency.jdbc.faults.ProtocolVariant#claimedFirst")
    void healOfAPurgedKeyIsReturnedAndNotRunAgain(ProtocolVariant way) {
        Trial trial = shortLived(way).plantEffectBehindPending();
        bench.direct.useHandle(handle ->
                handle.execute("UPDATE idempotency_record SET expires_at = created_at WHERE key_value = ?", trial.key));
        store.at(StoreCall.SUCCEED).before(() -> anotherSucceedsAndIsPurged(trial));
        assertThat(trial.callToHeal()).isInstanceOf(Outcome.Healed.class);
        assertThat(trial.hasRun(0).state()).isEqualTo("-");
        assertThat(trial.effects()).isEqualTo(1);
    }

    @Test
    void externalResultOfAPurgedKeyIsReturnedAndNotInserted() {
        Trial trial = shortLived(ProtocolVariant.EXTERNAL);
        store.at(StoreCall.SUCCEED).before(() -> anotherSucceedsAndIsPurged(trial));
        assertThat(trial.call()).isInstanceOf(Outcome.Executed.class);
        assertThat(trial.hasRun(1).state()).isEqualTo("-");
        assertThat(trial.effects()).isEqualTo(1);
    }

    // ---- a clock that jumps --------------------------------------------------------------------------------------

    private Trial clockJumpsAt(StoreCall step, ProtocolVariant way) {
        store.at(step).before(() -> clock.advance(YEARS));
        store.at(step).after(() -> clock.advance(YEARS.negated()));
        return bench.trial(way).over(store).clock(clock);
    }

    private void jumpingClockChangesNothingAt(StoreCall step, ProtocolVariant way) {
        Trial trial = clockJumpsAt(step, way);
        trial.executes(1);
    }

    @ParameterizedTest
    @EnumSource
    void clockThatJumpsAtTheClaimChangesNothing(ProtocolVariant way) {
        jumpingClockChangesNothingAt(StoreCall.CLAIM, way);
    }

    @ParameterizedTest
    @EnumSource(names = {"CLAIM_FIRST", "SINGLE_TRANSACTION", "EXTERNAL"})
    void clockThatJumpsAtTheMarkChangesNothing(ProtocolVariant way) {
        jumpingClockChangesNothingAt(StoreCall.SUCCEED, way);
    }

    @ParameterizedTest
    @MethodSource("io.counterpoint.idempotency.jdbc.faults.ProtocolVariant#inDatabase")
    void clockThatJumpsAtTheCommitChangesNothing(ProtocolVariant way) {
        jumpingClockChangesNothingAt(StoreCall.COMMIT, way);
    }

    @Test
    void clockThatJumpsAtTheFailureChangesNothing() {
        Trial trial = clockJumpsAt(StoreCall.FAIL, ProtocolVariant.CLAIM_FIRST);
        IOException refusal = new IOException("refused");
        assertThat(trial.thrown(doing -> {
                    throw refusal;
                }))
                .isSameAs(refusal);
        trial.hasRun(1).failed();
    }

    @ParameterizedTest
    @MethodSource("io.counterpoint.idempotency.jdbc.faults.ProtocolVariant#claimedFirst")
    void clockThatJumpsAtTheHealChangesNothing(ProtocolVariant way) {
        Trial trial = clockJumpsAt(StoreCall.SUCCEED, way).plantEffectBehindPending();
        assertThat(trial.callToHeal()).isInstanceOf(Outcome.Healed.class);
        trial.succeededOnce();
    }

    /** As a database whose clock was set forward, or a grace that is far too short, would have it: the leader stands down. */
    @Test
    void leaderDeadByAClockJumpCommitsNothingAfterATakeover() {
        Trial trial = bench.trial(ProtocolVariant.CLAIM_FIRST).over(store);
        store.at(StoreCall.LOCK)
                .before(() -> Bench.end(Bench.begin(() -> {
                    bench.direct.useHandle(handle -> handle.execute(
                            "UPDATE idempotency_record SET updated_at = updated_at - interval '1 hour' WHERE key_value = ?",
                            trial.key));
                    Trial other = new Trial(trial.way, trial.key, bench.direct, bench.direct)
                            .inDatabase(operation ->
                                    operation.whenAbandoned(Operation.Abandoned.TAKE_OVER, Duration.ofMinutes(1)));
                    assertThat(other.call()).isInstanceOf(Outcome.Executed.class);
                    return true;
                })));
        assertThat(trial.call()).isInstanceOf(Outcome.Replayed.class);
        trial.hasRun(0).succeededOnce();
    }
}
