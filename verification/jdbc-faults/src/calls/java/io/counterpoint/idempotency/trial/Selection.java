package io.counterpoint.idempotency.trial;

import java.util.ArrayList;
import java.util.List;

/**
 * Which cases of a setting are run. All of them are many, so the tests of a change share the faults of a call among the variants
 * of a setting: each kind of store in two modes of the pool, which makes ten of the JDBC store. They leave no fault out
 * because another one does the same.
 *
 * <p>The session of a lost connection serves the next case, since a new one costs more than the case. Ordinary builds open
 * a new one where the number of the call can be divided by {@value #NEW_SESSIONS}.
 *
 * <p>All cases are those of every kind of store that is {@linkplain Made#isEnumerated enumerated}. Every call belongs to
 * a class, and of each class one call meets each fault that fits: with other faults other calls of it. Most classes
 * have one call. The calls of a class follow each other, with no call between them. They are {@linkplain
 * JdbcCall#isLocal local}, so none of them reaches the database. They are made of the same object, and do the same with
 * it: {@linkplain JdbcCall#kind bind a parameter, or read a column}. What they throw meets the same exception
 * handlers of the same methods, down to the caller. So a fault of one of them leads where a fault of the other leads.
 *
 * <p>A fault after a call that {@linkplain JdbcCall#staysInDriver stays in the driver} is left out as well: the one before
 * it does the same. For both, a case fails if a statement, or its rows, are used again of which a call had failed. A test
 * compares the calls of classes, and faults after such calls with those before.
 *
 * <p>Of the kinds that are not enumerated one fault of thirty is run, and one of three where a transaction or a loan ends.
 *
 * @param share of how many faults of a call one is run in a setting; where a transaction or a loan ends, of a tenth; in a
 *     purge, of a thirtieth
 * @param all whether all cases are run instead
 */
record Selection(int share, boolean all) {

    static final Selection ALL = new Selection(300, true);

    /** Of the kinds of stores that are not enumerated, where all is run. */
    private static final int SHARE_OF_OTHERS = 30;

    private static final int NEW_SESSIONS = 5;

    private static final List<Scenario> SCENARIOS = List.of(Scenario.values());
    private static final List<Fault> FAULTS = List.of(Fault.values());
    private static final List<ProtocolVariant> WAYS = List.of(ProtocolVariant.values());

    /** The cases, of which the last one is a control: it strikes past the last call. */
    List<Case> of(Setting setting, int variant, List<Place> places) {
        List<Case> cases = new ArrayList<>();
        int seed = SCENARIOS.indexOf(setting.scenario()) + 7 * WAYS.indexOf(setting.way()) + 11 * variant;
        for (List<Integer> alike : Place.classes(places)) {
            for (int number : alike) {
                JdbcCall call = places.get(number - 1).call();
                List<Fault> fitting = Fault.of(call);
                for (int i = 0; i < fitting.size(); i++) {
                    int place = i + 5 * number + seed;
                    boolean stands = alike.get((i + seed) % alike.size()) == number;
                    int covered = all
                            ? covered(setting, call, fitting.get(i), place, stands ? alike.size() : 0)
                            : isChosen(share, setting, call, place) ? 1 : 0;
                    if (covered > 0) {
                        cases.add(new Case(setting, fitting.get(i), number, call, keepsSession(number), covered));
                    }
                }
            }
        }
        cases.add(new Case(setting, FAULTS.get(seed % FAULTS.size()), places.size() + 1, null, false, 0));
        return cases;
    }

    private boolean keepsSession(int number) {
        return all || number % NEW_SESSIONS != 0;
    }

    private static boolean isChosen(int oneOf, Setting setting, JdbcCall call, int place) {
        // A purge has few calls.
        int part = setting.scenario() == Scenario.PURGES ? 30 : call.isAnEnd() ? 10 : 1;
        return place % Math.max(1, oneOf / part) == 0;
    }

    /** For how many faults one stands where all are run; zero if another one stands for it, or if it is left out. */
    private static int covered(Setting setting, JdbcCall call, Fault fault, int place, int alike) {
        if (fault.isLikeBefore(call)) {
            return 0;
        }
        if (!setting.made().isEnumerated()) {
            return isChosen(SHARE_OF_OTHERS, setting, call, place) ? 1 : 0;
        }
        boolean coversAfter = fault.after()
                .filter(after -> after.fits(call) && after.isLikeBefore(call))
                .isPresent();
        return coversAfter ? 2 * alike : alike;
    }

    /** How many faults fit these calls. */
    static int possible(List<Place> places) {
        return places.stream().mapToInt(place -> Fault.of(place.call()).size()).sum();
    }
}
