package io.counterpoint.idempotency.jdbc.calls;

import java.util.List;

/** Runs the cases of one database, through a pool in one mode. */
record Enumeration(
        List<? extends Made> kinds, TestedDatabase.Maker maker, boolean autoCommit, Selection selection, Census census) {

    void run() throws Exception {
        try (TestedDatabase database = maker.create();
                TestEnvironment stage = new TestEnvironment(kinds, database, autoCommit)) {
            int variant = autoCommit ? 0 : kinds.size();
            for (Made made : kinds) {
                run(stage, made, variant++);
            }
        }
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
        for (Case next : selection.of(setting, variant, Case.callsOf(setting))) {
            census.add(next, next.complaints());
        }
    }
}
