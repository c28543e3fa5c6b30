package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.consistency.comparison.Report;
import io.counterpoint.idempotency.consistency.comparison.Side;
import io.counterpoint.idempotency.examples.appplatform.Client.Answer;
import io.counterpoint.idempotency.examples.appplatform.Client.Request;
import io.counterpoint.idempotency.examples.appplatform.usecase.PathMode;
import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;

/**
 * {@code POST /apps} goes from the old path to both and to the new one, while clients go on to create apps. In between both
 * tables are compared, decided about and repaired.
 */
final class MigrationChapter implements Chapter {

    private static final int MEANWHILE = 300;
    private static final int AFTERWARDS = 10;

    private final TourContext context;
    private final PathSwitch paths;
    private final MigrationReview review;

    MigrationChapter(TourContext context) {
        this.context = context;
        this.paths = context.platform().paths();
        this.review = context.platform().migration();
    }

    @Override
    public void run() throws IOException, InterruptedException {
        context.findings().chapter("Apps move from users to workspaces");
        long before = context.count("app WHERE name LIKE ?", "% " + context.runId() + " %");
        switchTo(PathMode.BOTH);
        context.progress().accept("comparing both tables while POST /apps writes them");
        CompletableFuture<List<Answer>> meanwhile = sendMeanwhile();
        Report<UUID> report = review.detect();
        context.findings().report("migration", "Migration: detect and report", report.table(), report.json());
        expect(before, report);
        UUID renamed = choose();
        context.progress().accept("repairing what was chosen, and comparing again");
        long changes = review.repair();
        context.findings()
                .fact(
                        "migration: changes, one for each finding",
                        report.totals().findings(),
                        changes);
        context.findings()
                .fact(
                        "migration: the one app about which the new table is right has its new name in both",
                        1L,
                        context.count(
                                "app_by_user u JOIN app_by_workspace w ON w.id = u.id AND w.name = u.name"
                                        + " WHERE u.id = ? AND u.name LIKE 'once %'",
                                renamed));
        context.findings()
                .fact(
                        "migration: of " + MEANWHILE + " apps that were created meanwhile, those in both tables",
                        await(meanwhile),
                        meanwhileInBoth());
        Report<UUID> second = review.detect();
        context.findings().report("migrationAfter", "Migration: verify", second.table(), second.json());
        context.findings().fact("migration: the second look is clean", true, second.isClean());
        context.findings()
                .tell(report.totals().findings() + " differences found and repaired, "
                        + report.totals().dismissed()
                        + " writes in flight dismissed; a second look is "
                        + (second.isClean() ? "clean." : "NOT clean."));
        switchTo(PathMode.NEW);
        afterwards();
    }

    private void switchTo(PathMode mode) {
        context.progress().accept("switching POST /apps to the path " + mode);
        try {
            context.findings().fact("migration: switched to", mode, paths.to(mode));
        } catch (Refusal refused) {
            context.findings().fact("migration: switched to", mode, String.valueOf(refused.getMessage()));
        }
    }

    private CompletableFuture<List<Answer>> sendMeanwhile() {
        List<Request> requests = IntStream.range(0, MEANWHILE)
                .mapToObj(i -> context.createApp(TourContext.HOME, "meanwhile " + context.runId() + " " + i))
                .toList();
        return CompletableFuture.supplyAsync(() -> {
            try {
                return context.send(requests);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new CompletionException(e);
            }
        });
    }

    private static long await(CompletableFuture<List<Answer>> meanwhile) {
        return meanwhile.join().stream().filter(Answer::isThere).count();
    }

    private long meanwhileInBoth() {
        return context.count(
                "app_by_user u JOIN app_by_workspace w ON w.id = u.id AND w.name = u.name WHERE u.name LIKE ?",
                "meanwhile " + context.runId() + " %");
    }

    private void expect(long before, Report<UUID> report) {
        context.findings()
                .tell(before
                        + " apps of this run are in the old table only: they were created before both were written.");
        context.findings()
                .fact(
                        "migration: missing in the new table, missing in the old one, different",
                        List.of(
                                GeneratedData.NOT_MIGRATED + before,
                                (long) GeneratedData.LEFT_OVER,
                                (long) GeneratedData.OTHER_NAME + GeneratedData.OTHER_WORKSPACE),
                        List.of(
                                report.totals().missingInNew(),
                                report.totals().missingInOld(),
                                report.totals().different()));
    }

    /** The new table is right about one app, the old one about all others. Returns the one. */
    private UUID choose() {
        UUID renamed = review.differences().stream()
                .filter(difference -> difference
                                .replacement()
                                .filter(now -> now.contains("name=once "))
                                .isPresent()
                        && difference.old().isPresent())
                .findFirst()
                .orElseThrow()
                .app();
        context.findings().fact("migration: a choice for one app", true, review.choose(renamed, Side.NEW));
        int rest = review.chooseForTheRest(Side.OLD);
        context.findings().tell("The right side is chosen: the new table for 1 app, the old one for " + rest + ".");
        return renamed;
    }

    /** Behind the switch nothing is written along the old path, and what was written is read along the new one. */
    private void afterwards() throws IOException, InterruptedException {
        String name = "afterwards " + context.runId() + " ";
        List<Answer> answers = context.send(IntStream.range(0, AFTERWARDS)
                .mapToObj(i -> context.createApp(TourContext.HOME, name + i))
                .toList());
        long read = 0;
        for (Answer answer : answers) {
            String app = answer.body().path("app").asText();
            read += context.client()
                            .get(context.url() + "/apps/" + app, TourContext.HOME, List.of())
                            .path("app")
                            .asText()
                            .equals(app)
                    ? 1
                    : 0;
        }
        context.findings()
                .fact(
                        "migration: apps created after the switch: in the new table, in the old one, read again",
                        List.of((long) AFTERWARDS, 0L, (long) AFTERWARDS),
                        List.of(
                                context.count("app_by_workspace WHERE name LIKE ?", name + "%"),
                                context.count("app_by_user WHERE name LIKE ?", name + "%"),
                                read));
        context.findings().tell("Now " + PathMode.NEW + ": " + AFTERWARDS + " more apps are in the new table alone.");
    }
}
