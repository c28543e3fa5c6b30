package io.counterpoint.idempotency.jdbc.calls;

import java.util.ArrayList;
import java.util.List;

/**
 * Which cases of a setting are run. All of them are many, so ordinary builds share the faults of a call among the variants
 * of a setting: each kind of store in two modes of the pool, which makes ten of the JDBC store. They leave no fault out
 * because another one does the same, and open every lost connection anew.
 *
 * <p>All cases are those of every kind of store that is {@linkplain Made#isEnumerated enumerated}. Of the
 * others one fault of thirty is run, and one of three where a transaction or a loan ends.
 *
 * @param share of how many faults of a call one is run in a setting; where a transaction or a loan ends, of a tenth; in a
 *     purge, of a thirtieth
 * @param all whether the others are run too, but for those that do the same as another
 */
record Selection(int share, boolean all) {

    static final Selection ALL = new Selection(300, true);

    /** Of the kinds of stores that are not enumerated, where all is run. */
    private static final int SHARE_OF_OTHERS = 30;

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
            List<Fault> fitting = fitting(call);
            for (int i = 0; i < fitting.size(); i++) {
                Fault fault = fitting.get(i);
                int place = i + 5 * number + seed;
                boolean pairwise = place % Math.max(1, share / part) == 0;
                boolean runs = setting.made().isEnumerated() || place % Math.max(1, SHARE_OF_OTHERS / part) == 0;
                if (pairwise || (all && runs && !fault.isLikeBefore(call))) {
                    cases.add(new Case(setting, fault, number, call, !pairwise));
                }
            }
        }
        cases.add(new Case(setting, FAULTS.get(seed % FAULTS.size()), calls.size() + 1, null, false));
        return cases;
    }

    /** How many faults do the same as another one, of all that fit these calls. */
    static int alike(List<JdbcCall> calls) {
        return count(calls, true);
    }

    /** How many faults fit these calls, and do not. */
    static int different(List<JdbcCall> calls) {
        return count(calls, false);
    }

    private static int count(List<JdbcCall> calls, boolean alike) {
        return calls.stream()
                .mapToInt(call -> (int) fitting(call).stream()
                        .filter(fault -> fault.isLikeBefore(call) == alike)
                        .count())
                .sum();
    }

    private static List<Fault> fitting(JdbcCall call) {
        return FAULTS.stream().filter(fault -> fault.fits(call)).toList();
    }
}
