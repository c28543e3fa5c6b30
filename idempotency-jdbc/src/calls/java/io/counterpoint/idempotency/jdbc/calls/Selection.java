package io.counterpoint.idempotency.jdbc.calls;

import java.util.ArrayList;
import java.util.List;

/**
 * Which cases of a setting are run. A setting is reached in variants: each kind of store in two modes of the pool, which
 * makes ten of the JDBC store. All calls of all variants are too many, so the faults of a call are shared among the
 * variants. With a share of ten, a fault at the n-th call is run in one variant. Where a transaction or a loan ends, it is
 * run in all of them.
 *
 * @param share of how many faults of a call one is run in a setting; where a transaction or a loan ends, of a tenth; in a
 *     purge, of a thirtieth
 */
record Selection(int share) {

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
            List<Fault> fitting =
                    FAULTS.stream().filter(fault -> fault.fits(call)).toList();
            for (int i = 0; i < fitting.size(); i++) {
                if ((i + 5 * number + seed) % every == 0) {
                    cases.add(new Case(setting, fitting.get(i), number, call));
                }
            }
        }
        cases.add(new Case(setting, FAULTS.get(seed % FAULTS.size()), calls.size() + 1, null));
        return cases;
    }
}
