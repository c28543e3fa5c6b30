package io.counterpoint.idempotency.trial;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.util.List;

/**
 * Runs the cases of one database, through a pool in one mode.
 *
 * @param kinds all kinds of stores
 * @param stores those whose cases are run here
 */
record Enumeration(
        List<? extends Made> kinds,
        TestedDatabase.Maker maker,
        boolean autoCommit,
        List<? extends Made> stores,
        Selection selection,
        Census census) {

    void run() throws Exception {
        try (TestedDatabase database = maker.create();
                TestEnvironment stage = new TestEnvironment(kinds, database, autoCommit)) {
            for (Made made : stores) {
                requireSameFault(stage.store(made));
                run(stage, made, kinds.indexOf(made) + (autoCommit ? 0 : kinds.size()));
            }
        }
    }

    /** Or a fault after a call that leaves no trace is not like the one before it. */
    private static void requireSameFault(IdempotencyStore<Domain> store) {
        assertThat(store.classify(Fault.UNCLEAR_AFTER.unclear()))
                .isEqualTo(store.classify(Fault.UNCLEAR_BEFORE.unclear()));
    }

    private void run(TestEnvironment stage, Made made, int variant) throws Exception {
        for (Scenario scenario : Scenario.values()) {
            for (ProtocolVariant way : ProtocolVariant.values()) {
                if (scenario.fits(way, made)) {
                    run(new Setting(stage, made, way, scenario), variant);
                }
            }
        }
    }

    private void run(Setting setting, int variant) throws Exception {
        Case.callsOf(setting);
        List<Place> places = Case.callsOf(setting);
        List<Case> cases = selection.of(setting, variant, places);
        census.possible(setting, Selection.possible(places));
        Together.run(cases, census);
    }
}
