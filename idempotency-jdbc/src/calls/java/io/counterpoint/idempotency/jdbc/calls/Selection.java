package io.counterpoint.idempotency.jdbc.calls;

import java.util.ArrayList;
import java.util.List;

/**
 * Which cases of a setting are run. All of them are many, so ordinary builds share the faults of a call among the variants
 * of a setting: each kind of store in two modes of the pool, which makes ten of the JDBC store. They leave no fault out
 * because another one does the same, and open every lost connection anew.
 *
 * @param share of how many faults of a call one is run in a setting; where a transaction or a loan ends, of a tenth; in a
 *     purge, of a thirtieth
 * @param all whether the others are run too, but for those that do the same as another
 */
record Selection(int share, boolean all) {

    static final Selection PAIRWISE = new Selection(300, false);
    static final Selection ALL = new Selection(300, true);

    private static final List<Scenario> SCENARIOS = List.of(Scenario.values());
    private static final List<Fault> FAULTS = List.of(Fault.values());
    private static final List<ProtocolVariant> WAYS = List.of(ProtocolVariant.values());

    /** The cases, of which the last one is a control: it strikes past the last call. */
    List<Case> of(Setting setting, int variant, List<JdbcCall> calls) {
        List<Case> cases = new ArrayList<>();
        int seed = SCENARIOS.indexOf(setting.scenario()) + 7 * WAYS.indexOf(setting.way()) + 11 * variant;
        for (int number = 1; number <= calls.size(); number++) {
            JdbcCall call = calls.get(number - 1);
            // A purge has few calls.
            int part = setting.scenario() == Scenario.PURGES ? 30 : call.isAnEnd() ? 10 : 1;
            int every = Math.max(1, share / part);
            List<Fault> fitting = fitting(call);
            for (int i = 0; i < fitting.size(); i++) {
                Fault fault = fitting.get(i);
                boolean pairwise = (i + 5 * number + seed) % every == 0;
                if (pairwise || (all && !fault.isLikeBefore(call))) {
                    cases.add(new Case(setting, fault, number, call, !pairwise));
                }
            }
        }
        cases.add(new Case(setting, FAULTS.get(seed % FAULTS.size()), calls.size() + 1, null, false));
        return cases;
    }

    /** How many cases there are, with those that are left out. */
    static int count(List<JdbcCall> calls) {
        return 1 + calls.stream().mapToInt(call -> fitting(call).size()).sum();
    }

    private static List<Fault> fitting(JdbcCall call) {
        return FAULTS.stream().filter(fault -> fault.fits(call)).toList();
    }
}
