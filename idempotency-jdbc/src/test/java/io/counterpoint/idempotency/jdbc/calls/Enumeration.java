package io.counterpoint.idempotency.jdbc.calls;

import io.counterpoint.idempotency.jdbc.calls.TestedDatabase.Kind;
import java.util.List;

/** Runs the cases of one database. */
record Enumeration(Kind kind, Selection selection, Census census) {

    void run() throws Exception {
        try (TestedDatabase database = kind.create();
                Stage autoCommit = new Stage(database, true);
                Stage manual = new Stage(database, false)) {
            int variant = 0;
            for (Stage stage : List.of(autoCommit, manual)) {
                for (Made made : Made.values()) {
                    run(stage, made, variant++);
                }
            }
        }
    }

    private void run(Stage stage, Made made, int variant) throws Exception {
        for (Scenario scenario : Scenario.values()) {
            for (Way way : Way.values()) {
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
