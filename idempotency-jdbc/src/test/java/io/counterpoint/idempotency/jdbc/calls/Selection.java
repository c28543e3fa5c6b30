package io.counterpoint.idempotency.jdbc.calls;

import java.util.ArrayList;
import java.util.List;

/**
 * Which cases of a setting are run. All of them are many, so the ordinary build shares the faults of a call among the ten
 * variants of a setting: five kinds of stores in two modes of the pool. Of 300 faults it runs one, and of 30 where a
 * transaction or a loan ends. It leaves no fault out because another one does the same, and every lost connection is
 * opened anew.
 */
enum Selection {
    PAIRWISE,
    ALL;

    private static final int SHARE = 300;
    private static final int SHARE_AT_AN_END = 30;

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
            int every = call.isAnEnd() || setting.scenario() == Scenario.PURGES ? SHARE_AT_AN_END : SHARE;
            List<Fault> fitting = fitting(call);
            for (int i = 0; i < fitting.size(); i++) {
                Fault fault = fitting.get(i);
                boolean pairwise = (i + 5 * number + seed) % every == 0;
                if (pairwise || (this == ALL && !fault.isLikeBefore(call))) {
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
