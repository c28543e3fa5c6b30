package io.counterpoint.idempotency.examples.appplatform;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterpoint.idempotency.consistency.comparison.ComparisonReport;
import io.counterpoint.idempotency.consistency.comparison.ComparisonReview;
import io.counterpoint.idempotency.consistency.comparison.ComparisonReview.Decision;
import io.counterpoint.idempotency.consistency.comparison.RepairResult;
import io.counterpoint.idempotency.consistency.comparison.Totals;
import io.counterpoint.idempotency.examples.appplatform.http.Client.Answer;
import io.counterpoint.idempotency.examples.appplatform.http.Client.Request;
import io.counterpoint.idempotency.examples.appplatform.usecase.PathMode;
import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.stream.IntStream;

/**
 * Switches {@code POST /apps} from the old path to both paths and then to the new one, while clients keep creating
 * apps. In between, the two tables are compared, the differences decided and repaired.
 */
final class MigrationChapter implements Chapter {

    private static final int MEANWHILE = 300;
    private static final int AFTERWARDS = 10;
    private static final String IN_BOTH = "app_by_user u, app_by_workspace w WHERE w.id = u.id AND w.name = u.name";

    private final TourContext context;
    private final Findings findings;
    private final Migration migration;

    MigrationChapter(TourContext context) {
        this.context = context;
        this.findings = context.findings();
        this.migration = context.platform().migration;
    }

    @Override
    public void run() throws IOException, InterruptedException {
        findings.chapter("Apps move from users to workspaces");
        long before = context.count("app WHERE name LIKE ?", "% " + context.runId() + " %");
        switchTo(PathMode.BOTH);
        context.progress().accept("comparing both tables while POST /apps writes them");
        String name = "meanwhile " + context.runId() + " ";
        ForkJoinTask<List<Answer>> meanwhile =
                ForkJoinPool.commonPool().submit(() -> context.send(creations(name, MEANWHILE)));
        ComparisonReport<UUID> report = migration.comparison().startOver();
        findings.report("migration", "Migration: detect and report", report.table(), report.json());
        expect(before, report.totals());
        repair(report.totals());
        findings.fact(
                "migration: of " + MEANWHILE + " apps that were created meanwhile, those in both tables",
                meanwhile.join().stream().filter(Answer::isThere).count(),
                context.count(IN_BOTH + " AND u.name LIKE ?", name + "%"));
        ComparisonReport<UUID> second = migration.comparison().startOver();
        findings.report("migrationAfter", "Migration: verify", second.table(), second.json());
        findings.fact("migration: the second comparison is clean", true, second.isClean());
        findings.tell(report.totals().findings() + " differences found and repaired, "
                + report.totals().dismissed() + " writes in flight dismissed; the second comparison is "
                + (second.isClean() ? "clean." : "NOT clean."));
        switchTo(PathMode.NEW);
        afterwards();
    }

    private void switchTo(PathMode mode) {
        context.progress().accept("switching POST /apps to the path " + mode);
        Object now;
        try {
            now = context.platform().paths.to(mode);
        } catch (Refusal refused) {
            now = String.valueOf(refused.getMessage());
        }
        findings.fact("migration: switched to", mode, now);
    }

    private List<Request> creations(String name, int number) {
        return IntStream.range(0, number)
                .mapToObj(i -> context.createApp(TourContext.HOME, name + i))
                .toList();
    }

    private void expect(long before, Totals found) {
        findings.tell(
                before + " apps of this run are in the old table only: they were created before both were written.");
        findings.fact(
                "migration: missing in the new table, missing in the old one, different",
                List.of(
                        GeneratedData.NOT_MIGRATED + before,
                        (long) GeneratedData.LEFT_OVER,
                        (long) GeneratedData.OTHER_NAME + GeneratedData.OTHER_WORKSPACE),
                List.of(found.missingInNew(), found.missingInOld(), found.different()));
    }

    /** The new table is right about one app, and the old table about all others. */
    private void repair(Totals found) {
        UUID renamed = migration.review().findings(0, Integer.MAX_VALUE).stream()
                .map(ComparisonReview.Item::finding)
                .filter(finding -> finding.values().old().isPresent()
                        && finding.values().replacement().orElse("").contains("\"once "))
                .findFirst()
                .orElseThrow()
                .key();
        findings.fact(
                "migration: a choice for one app", true, migration.review().decide(renamed, Decision.NEW));
        long rest = migration.review().decideRest(Decision.OLD);
        findings.tell("The right side is chosen: the new table for 1 app, the old one for " + rest + ".");
        context.progress().accept("repairing what was chosen, and comparing these rows again");
        RepairResult<UUID> result = migration.repair();
        findings.fact(
                "migration: changes, one for each finding",
                found.findings(),
                result.counts().changes());
        findings.fact("migration: what was repaired is alike", true, result.isClean());
        findings.fact(
                "migration: the one app about which the new table is right has its new name in both",
                1L,
                context.count(IN_BOTH + " AND u.id = ? AND u.name LIKE 'once %'", renamed));
    }

    /** After the switch, nothing is written along the old path, and everything can be read along the new one. */
    private void afterwards() throws IOException, InterruptedException {
        String name = "afterwards " + context.runId() + " ";
        long read = 0;
        for (Answer answer : context.send(creations(name, AFTERWARDS))) {
            String app = answer.body().path("app").asText();
            String path = context.url() + "/apps/" + app;
            JsonNode shown = context.client().get(path, TourContext.HOME, List.of());
            read += shown.path("app").asText().equals(app) ? 1 : 0;
        }
        findings.fact(
                "migration: apps created after the switch: in the new table, in the old one, read again",
                List.of((long) AFTERWARDS, 0L, (long) AFTERWARDS),
                List.of(
                        context.count("app_by_workspace WHERE name LIKE ?", name + "%"),
                        context.count("app_by_user WHERE name LIKE ?", name + "%"),
                        read));
        findings.tell("Now " + PathMode.NEW + ": " + AFTERWARDS + " more apps are in the new table alone.");
    }
}
