package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.consistency.comparison.RepairResult;
import io.counterpoint.idempotency.consistency.comparison.Report;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/** Two tables are compared and repaired while both are written. */
final class MigrationChapter implements Chapter {

    private static final Duration MINIMUM_AGE = Duration.ofSeconds(1);

    private final TourContext context;

    MigrationChapter(TourContext context) {
        this.context = context;
    }

    @Override
    public void run() {
        context.progress().accept("comparing the tables of the migration while both are written");
        Migration migration = new Migration(context.platform().database().jdbi(), MINIMUM_AGE, context.progress());
        Report<UUID> report;
        RepairResult<UUID> dry;
        RepairResult<UUID> repaired;
        long writes;
        try (Migration.Writers writers =
                new Migration.Writers(context.platform().database().jdbi(), 2)) {
            report = migration.comparison().startOver();
            dry = migration.plan().dryRun();
            repaired = migration.plan().apply();
            writes = writers.writes();
        }
        context.findings().report("migration", "Migration, 1 and 2: detect and report", report.table(), report.json());
        context.findings()
                .report(
                        "migrationDryRun",
                        "Migration, 3: analyse, the old table being right",
                        counts(dry.table()),
                        dry.json());
        context.findings()
                .report(
                        "migrationRepair",
                        "Migration, 4 and 5: repair and verify",
                        counts(repaired.table()),
                        repaired.json());
        Report<UUID> second = migration.comparison().startOver();
        context.findings()
                .report("migrationAfter", "Migration: a second look at everything", second.table(), second.json());
        context.findings()
                .fact(
                        "migration: missing in the new table, missing in the old one, different",
                        List.of(
                                GeneratedData.NOT_MIGRATED,
                                GeneratedData.LEFT_OVER,
                                GeneratedData.OTHER_NAME + GeneratedData.OTHER_WORKSPACE),
                        List.of(
                                report.totals().missingInNew(),
                                report.totals().missingInOld(),
                                report.totals().different()));
        context.findings().fact("migration: written meanwhile", true, writes > 0);
        context.findings()
                .fact(
                        "migration: changes, those of the dry run",
                        dry.counts().changes(),
                        repaired.counts().changes());
        context.findings().fact("migration: the second look is clean", true, repaired.isClean() && second.isClean());
    }

    /** Without the keys; they are in the report. */
    private static String counts(String table) {
        return table.replaceFirst("(?s)\\n\\n.*", "\n");
    }
}
