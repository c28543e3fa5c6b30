package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.consistency.check.CheckReport;
import io.counterpoint.idempotency.consistency.check.CheckResult;
import io.counterpoint.idempotency.consistency.check.RepairReport;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The checks find what was planted; their repairs leave nothing to find. */
final class ChecksChapter implements Chapter {

    private final TourContext context;

    ChecksChapter(TourContext context) {
        this.context = context;
    }

    @Override
    public void run() {
        context.findings().chapter("Damage of every kind, found and repaired");
        context.progress().accept("checking");
        CheckReport before = context.platform().check();
        context.findings().report("checksBefore", "What the checks find", before.table(), before.json());
        context.findings()
                .fact(
                        "checks: what was planted",
                        List.of(
                                GeneratedData.ORPHANS,
                                GeneratedData.ZOMBIES,
                                GeneratedData.WRONG_QUOTA,
                                GeneratedData.DANGLING_VERSIONS
                                        + GeneratedData.DANGLING_POLICIES
                                        + GeneratedData.DANGLING_LINES
                                        + GeneratedData.DANGLING_EXECUTIONS,
                                0,
                                0,
                                0,
                                0,
                                0,
                                GeneratedData.WRONG_USAGE),
                        before.results().stream().map(CheckResult::offending).toList());

        List<Object[]> rows = new ArrayList<>();
        rows.add(new Object[] {"check", "dry run: would change", "changed", "batches", "end", "still offending"});
        long changes = 0;
        for (PlatformChecks.Row row : context.platform().checks().rows()) {
            String name = row.check().name();
            List<RepairReport> dry = context.platform().upkeep().repair(name, true);
            List<RepairReport> repaired = context.platform().upkeep().repair(name, false);
            for (int i = 0; i < repaired.size(); i++) {
                RepairReport one = repaired.get(i);
                changes += one.changed();
                rows.add(new Object[] {
                    name,
                    dry.get(i).matched(),
                    one.changed(),
                    one.batches(),
                    one.end(),
                    one.after().offending()
                });
            }
        }
        context.findings().table("repairs", "Repairs", rows);
        context.findings()
                .tell(before.results().stream()
                                .mapToLong(CheckResult::offending)
                                .sum() + " rows found by " + before.results().size() + " checks, " + changes
                        + " changed by repairs.");
        context.findings().fact("repairs: rows of the audit", changes, context.count("repair_audit"));

        CheckReport after = context.platform().check();
        context.findings().report("checksAfter", "A second look", after.table(), after.json());
        context.findings().severity(after.exitCode());
        context.findings()
                .tell("A second look finds "
                        + after.results().stream()
                                .mapToLong(CheckResult::offending)
                                .sum() + " rows.");
        Instant now = Instant.now();
        context.findings()
                .fact(
                        "checks: run in their slots by two callers at about the same time",
                        context.platform().checks().rows().size() + " and 0",
                        context.platform().upkeep().check(now, true).results().size() + " and "
                                + context.platform()
                                        .upkeep()
                                        .check(now, true)
                                        .results()
                                        .size());
    }
}
