package io.counterpoint.idempotency.jdbc.calls;

import java.util.ArrayList;
import java.util.List;

/**
 * Which cases of a setting are run. A setting is reached in ten variants: five kinds of stores in two modes of the pool.
 * The ordinary build shares the faults of a call among them. Of 300 faults it runs one, and of 30 where a transaction or
 * a loan ends. It leaves no fault out because another one does the same, and every lost connection is opened anew.
 *
 * <p>All cases are those of every store that the work gets a handle from, in the database's isolation. For the two other
 * kinds of stores, of 30 faults one is run, and of 3 where a transaction or a loan ends.
 */
enum Selection {
    PAIRWISE,
    ALL;

    private static final int SHARE = 300;
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
            int divisor = call.isAnEnd() || setting.scenario() == Scenario.PURGES ? 10 : 1;
            List<Fault> fitting = fitting(call);
            for (int i = 0; i < fitting.size(); i++) {
                Fault fault = fitting.get(i);
                int place = i + 5 * number + seed;
                boolean pairwise = place % (SHARE / divisor) == 0;
                boolean runs = setting.made().isEnumerated() || place % (SHARE_OF_OTHERS / divisor) == 0;
                if (pairwise || (this == ALL && runs && !fault.isLikeBefore(call))) {
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
