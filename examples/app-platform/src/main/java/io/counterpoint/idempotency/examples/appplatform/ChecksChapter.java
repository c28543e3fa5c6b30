package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.consistency.check.CheckReport;
import io.counterpoint.idempotency.consistency.check.CheckResult;
import io.counterpoint.idempotency.consistency.check.RepairReport;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The checks find the planted damage, and find nothing after their repairs. */
final class ChecksChapter implements Chapter {

    private final TourContext context;

    ChecksChapter(TourContext context) {
        this.context = context;
    }

    /** The number of rows found by each check that found any. */
    static Map<String, Long> found(CheckReport report) {
        Map<String, Long> found = new TreeMap<>();
        for (CheckResult result : report.results()) {
            if (!result.isClean()) {
                found.put(result.check(), result.offending());
            }
        }
        return found;
    }

    @Override
    public void run() {
        Findings findings = context.findings();
        Upkeep upkeep = context.platform().upkeep;
        findings.chapter("Damage of every kind, found and repaired");
        context.progress().accept("checking");
        CheckReport before = context.platform().check();
        findings.report("checksBefore", "What the checks find", before.table(), before.json());
        findings.fact("checks: what was planted", GeneratedData.PLANTED, found(before));

        List<Object[]> rows = new ArrayList<>();
        rows.add(new Object[] {"check", "dry run: would change", "changed", "batches", "end", "still offending"});
        long changes = 0;
        for (CheckResult result : before.results()) {
            List<RepairReport> dry = upkeep.repair(result.check(), true);
            List<RepairReport> repaired = upkeep.repair(result.check(), false);
            for (int i = 0; i < repaired.size(); i++) {
                RepairReport one = repaired.get(i);
                changes += one.changed();
                rows.add(new Object[] {
                    one.repair(),
                    dry.get(i).matched(),
                    one.changed(),
                    one.batches(),
                    one.end(),
                    one.after().offending()
                });
            }
        }
        findings.table("repairs", "Repairs", rows);
        long planted =
                found(before).values().stream().mapToLong(Long::longValue).sum();
        findings.tell(
                planted + " rows found by " + before.results().size() + " checks, " + changes + " changed by repairs.");
        findings.fact("repairs: rows of the audit", changes, context.count("repair_audit"));

        CheckReport after = context.platform().check();
        findings.report("checksAfter", "After the repairs", after.table(), after.json());
        findings.severity(after.exitCode());
        findings.tell("After the repairs, " + found(after).size() + " checks find rows.");
        Instant now = Instant.now();
        findings.fact(
                "checks: run in their slots by two callers at about the same time",
                before.results().size() + " and 0",
                upkeep.check(now, true).results().size() + " and "
                        + upkeep.check(now, true).results().size());
    }
}
