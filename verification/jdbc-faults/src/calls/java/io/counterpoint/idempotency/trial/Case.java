package io.counterpoint.idempotency.trial;

import java.util.List;

/**
 * One call with one fault, judged by what the tables say.
 *
 * @param number of the call of the driver that fails
 * @param expected the call that has that number, or null if there is none and the fault must not happen
 * @param keepsSession whether the server's session of a connection that is lost serves the next case
 * @param covered how many faults at calls this one stands for, itself included; zero for a control
 */
record Case(Setting setting, Fault fault, int number, JdbcCall expected, boolean keepsSession, int covered) {

    /** How many calls there are without a fault, and which. */
    static List<Place> callsOf(Setting setting) throws Exception {
        Trial trial = new Trial(setting, false);
        trial.prepare();
        setting.stage().driver.record();
        trial.call();
        List<Place> calls = setting.stage().driver.recorded();
        setting.stage().pool.complaints();
        return calls;
    }

    /** For example: single transaction with a plan, connection lost after commit(), call 23 of EXECUTES on H2. */
    @Override
    public String toString() {
        String call = expected == null ? "the last call" : expected.method() + "()";
        return "%s, %s %s %s, call %d of %s on %s"
                .formatted(
                        setting.way().words(),
                        fault.what(),
                        fault.when(),
                        call,
                        number,
                        setting.scenario(),
                        setting.reaches());
    }
}
