package io.counterpoint.idempotency.jdbc.calls;

import io.counterpoint.idempotency.jdbc.calls.Tables.Found;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * One call with one fault, judged by what the tables say.
 *
 * @param number of the call of the driver that fails
 * @param expected the call that has that number, or null if there is none and the fault must not happen
 * @param keepsSession whether the server's session of a connection that is lost serves the next case
 */
record Case(Setting setting, Fault fault, int number, JdbcCall expected, boolean keepsSession) {

    /** Nothing here waits, but for a server to notice the end of a connection. */
    private static final Duration BOUND = Duration.ofSeconds(20);

    /** What was wrong, if anything. */
    List<String> complaints() throws Exception {
        long start = System.nanoTime();
        TestEnvironment stage = setting.stage();
        List<String> found = new ArrayList<>();
        Trial trial = new Trial(setting, number % 2 == 0);
        trial.prepare();
        Judge judge = new Judge(trial, found);
        judge.before(setting.scenario().isPrepared() ? stage.tables.of(trial.key) : Found.NOTHING);
        stage.pool.keepSessions(keepsSession);
        stage.driver.arm(fault, number);
        Answer first = trial.call();
        int calls = stage.driver.disarm().size();
        boolean interrupted = Thread.interrupted();
        JdbcCall struck = stage.driver.struck();
        if (expected == null ? struck != null : !expected.equals(struck)) {
            found.add("the fault was to meet " + expected + " and met " + struck + " of " + calls + " calls");
        }
        if (interrupted != (struck != null && fault == Fault.INTERRUPTED)) {
            found.add(interrupted ? "the thread was interrupted" : "the interrupt was lost");
        }
        if (expected == null && !first.name().equals(setting.scenario().expected)) {
            found.add("without a fault it ended with " + first);
        }
        if (struck != null
                && stage.database.losesStepByErrors
                && fault.mayLoseStep(struck)
                && stage.driver.isStruckConnectionOpen()) {
            found.add("an error struck in the middle of a call, and the connection went back to the pool");
        }
        if (struck != null && fault.isThrown() && struck.isLocal() && stage.driver.wasStruckStatementSent()) {
            found.add("a statement was sent although " + struck + " had failed");
        }
        judge.first(first, stage.tables.of(trial.key));
        found.addAll(stage.pool.complaints());
        if (trial.isMutexHeld()) {
            found.add("the turn at the key was not given back");
        }
        Answer second = retried(trial);
        judge.second(second, stage.tables.of(trial.key));
        stage.pool.complaints().forEach(complaint -> found.add("at the retry " + complaint));
        long millis = (System.nanoTime() - start) / 1_000_000;
        if (millis > BOUND.toMillis()) {
            found.add("it took " + millis + " ms");
        }
        if (!found.isEmpty()) {
            found.add("    answers: " + first + "; then " + second + "; " + stage.tables.of(trial.key));
        }
        return found;
    }

    /** Again while a leader may be at work, as it is for the server until it notices that its client has gone. */
    private Answer retried(Trial trial) {
        long deadline = System.nanoTime() + BOUND.toNanos() / 4;
        Answer answer = trial.retry();
        while (answer.isInProgress() && !setting.way().isExternal() && System.nanoTime() < deadline) {
            Thread.onSpinWait();
            answer = trial.retry();
        }
        return answer;
    }

    /** How many calls there are without a fault, and which. */
    static List<JdbcCall> callsOf(Setting setting) throws Exception {
        Trial trial = new Trial(setting, false);
        trial.prepare();
        setting.stage().driver.arm(Fault.BUG_BEFORE, 0);
        trial.call();
        List<JdbcCall> calls = setting.stage().driver.disarm();
        setting.stage().pool.complaints();
        return calls;
    }

    @Override
    public String toString() {
        return setting + ", " + fault + " at call " + number + " " + expected;
    }
}
