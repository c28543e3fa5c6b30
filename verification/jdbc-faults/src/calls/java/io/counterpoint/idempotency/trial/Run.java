package io.counterpoint.idempotency.trial;

import io.counterpoint.idempotency.trial.Tables.Found;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A case on its way, step by step. Between two steps other runs of the same setting may go theirs, with other keys. */
final class Run {

    /** Nothing here waits, but for a server to notice the end of a connection. */
    private static final Duration BOUND = Duration.ofSeconds(20);

    private final Case of;
    private final TestEnvironment stage;
    private final Trial trial;
    private final Judge judge;
    private final List<String> found = new ArrayList<>();
    private long nanos;
    private List<JdbcCall> callsAfter;
    private Answer first;
    private Found then;
    private Answer second;
    private Found last;

    Run(Case of, boolean retryTakesOver) {
        this.of = of;
        this.stage = of.setting().stage();
        this.trial = new Trial(of.setting(), retryTakesOver);
        this.judge = new Judge(trial, found);
    }

    String key() {
        return trial.key;
    }

    void prepare() throws Exception {
        trial.prepare();
    }

    void before(Found planted) {
        judge.before(planted);
    }

    /** The call under test, and what can be said of it at once. */
    void call() throws SQLException {
        long start = System.nanoTime();
        JdbcCall expected = of.expected();
        stage.pool.keepSessions(of.keepsSession());
        stage.driver.arm(of.fault(), of.number());
        first = trial.call();
        List<JdbcCall> calls = stage.driver.disarm();
        callsAfter = calls.subList(Math.min(of.number(), calls.size()), calls.size());
        boolean interrupted = Thread.interrupted();
        Place place = stage.driver.struck();
        JdbcCall struck = place == null ? null : place.call();
        if (expected == null ? struck != null : !expected.equals(struck)) {
            found.add("the fault was to meet " + expected + " and met " + struck + " of " + calls.size() + " calls");
        }
        if (interrupted != (struck != null && of.fault() == Fault.INTERRUPTED)) {
            found.add(interrupted ? "the thread was interrupted" : "the interrupt was lost");
        }
        if (expected == null && !first.name().equals(of.setting().scenario().expected)) {
            found.add("without a fault it ended with " + first);
        }
        if (struck != null) {
            struck(struck);
        }
        boolean byFramework = struck != null && of.setting().made().isOfFramework(stage.driver.struckCaller());
        stage.pool.complaints().stream()
                .filter(complaint -> !byFramework
                        || !complaint.startsWith("the connection was returned as")
                        || complaint.contains("a transaction open"))
                .forEach(found::add);
        if (trial.isMutexHeld()) {
            found.add("the turn at the key was not given back");
        }
        nanos += System.nanoTime() - start;
    }

    private void struck(JdbcCall struck) throws SQLException {
        if (stage.database.losesStepByErrors
                && !of.setting().made().isOfFramework(stage.driver.struckCaller())
                && of.fault().mayLoseStep(struck)
                && stage.driver.isStruckConnectionOpen()) {
            found.add("an error struck in the middle of a call, and the connection went back to the pool");
        }
        if (of.fault().isThrown() && struck.staysInDriver() && stage.driver.isStruckObjectUsedAgain()) {
            found.add("a statement or its rows were used although " + struck + " had failed");
        }
    }

    void judgeCall(Found found) throws SQLException {
        then = found;
        judge.first(first, found);
    }

    /** Again while a leader may be at work, as it is for the server until it notices that its client has gone. */
    void retry() throws SQLException {
        long start = System.nanoTime();
        second = trial.retry();
        while (second.isInProgress()
                && !of.setting().way().isExternal()
                && System.nanoTime() - start < BOUND.toNanos() / 4) {
            Thread.onSpinWait();
            second = trial.retry();
        }
        stage.pool.complaints().forEach(complaint -> found.add("at the retry " + complaint));
        nanos += System.nanoTime() - start;
        if (nanos > BOUND.toNanos()) {
            found.add("it took " + nanos / 1_000_000 + " ms");
        }
    }

    void judgeRetry(Found found) throws SQLException {
        last = found;
        judge.second(second, found);
    }

    /** What is wrong, if anything, with one of the runs that went their ways together. */
    void complain(List<String> complaints) {
        found.addAll(complaints);
    }

    Course course() {
        if (!found.isEmpty()) {
            found.add("    answers: " + first + "; then " + second + "; " + last);
        }
        return new Course(found, callsAfter, trial.events(), first, then, second, last);
    }
}
