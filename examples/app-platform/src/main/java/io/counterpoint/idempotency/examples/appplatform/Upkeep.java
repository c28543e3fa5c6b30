package io.counterpoint.idempotency.examples.appplatform;

import static io.counterpoint.idempotency.jdbc.Isolation.READ_COMMITTED;

import io.counterpoint.idempotency.consistency.check.CheckReport;
import io.counterpoint.idempotency.consistency.check.CheckResult;
import io.counterpoint.idempotency.consistency.check.RepairReport;
import io.counterpoint.idempotency.consistency.check.Schedule;
import io.counterpoint.idempotency.consistency.comparison.ComparisonReport;
import io.counterpoint.idempotency.examples.appplatform.usecase.PathMode;
import io.counterpoint.idempotency.programs.process.Repeated;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;

/** Looks after the service: resumes abandoned work, runs checks and repairs, and deletes expired data. */
final class Upkeep implements AutoCloseable {

    private static final Duration REMEMBERED = Duration.ofDays(30);

    private final Platform platform;
    private final Consumer<String> log;
    private final List<Repeated> running = new ArrayList<>();

    Upkeep(Platform platform, Consumer<String> log) {
        this.platform = platform;
        this.log = log;
    }

    /** Work that is repeated, with a pause after each run. */
    record Routine(String name, Duration pause, Runnable work) {}

    /** Starts to resume abandoned work, run the checks, optionally repair what they find, and delete expired data. */
    void schedule(boolean repairs) {
        for (Routine routine : routines(repairs)) {
            Repeated repeated = new Repeated(routine.name(), routine.work(), log);
            running.add(repeated);
            repeated.every(routine.pause());
        }
    }

    /** What {@link #schedule} repeats. */
    List<Routine> routines(boolean repairs) {
        return List.of(
                new Routine("resume", platform.times.abandonedAfter().dividedBy(2), this::resumeAbandoned),
                new Routine("checks", platform.times.checksEvery(), () -> check(Instant.now(), repairs)),
                new Routine("migration", Duration.ofMinutes(10), () -> compareMigration(Instant.now())),
                new Routine("tidy", Duration.ofHours(1), this::tidy));
    }

    /** Resumes work that others have abandoned; a failure does not block the rest. Returns how many were resumed. */
    int resumeAbandoned() {
        int published = platform.publishApp.resume(
                platform.times.abandonedAfter(), (held, why) -> log.accept("publication of " + held.id() + ": " + why));
        int provisioned = platform.provisionDatabase.resume(
                platform.times.abandonedAfter(), (held, why) -> log.accept("database of " + held.id() + ": " + why));
        int paid = platform.chargePayment.resume(
                platform.times.abandonedAfter(), (whose, why) -> log.accept("payment of " + whose + ": " + why));
        if (published + provisioned + paid > 0) {
            log.accept("resumed " + published + " abandoned publications, " + provisioned + " abandoned databases and "
                    + paid + " abandoned payments");
        }
        return published + provisioned + paid;
    }

    /** Runs the checks that are due, and optionally repairs what they find. Returns what they found. */
    CheckReport check(Instant now, boolean repairs) {
        CheckReport report = platform.checks.checks().runDue(platform.idempotency, now);
        for (CheckResult result : report.results()) {
            String what = result.offending() + " rows, "
                    + (repairs ? "which are being fixed" : "left until an operator requests its repair");
            if (!result.isClean()) {
                log.accept("check " + result.check() + ": " + result.error().orElse(what));
            }
            if (repairs && result.error().isEmpty() && result.offending() > 0) {
                repair(result.check(), false)
                        .forEach(done -> done.unrepaired()
                                .forEach(row -> log.accept(
                                        "repair " + done.repair() + ": row " + row.row() + " is left: " + row.why())));
            }
        }
        return report;
    }

    /** Repairs what a check finds, or reports what a repair would do; empty if there is no such check. */
    List<RepairReport> repair(String check, boolean dryRun) {
        return platform.checks.named(check).stream()
                .flatMap(row -> row.repairs().stream())
                .map(repair -> dryRun ? repair.dryRun(platform.transactions) : repair.run(platform.transactions))
                .toList();
    }

    /** While both paths are written, compares their tables on one node per hour. Returns whether this call did. */
    boolean compareMigration(Instant now) {
        Optional<ComparisonReport<UUID>> report = platform.paths.mode() == PathMode.BOTH
                ? platform.migration.review().detectDue(platform.idempotency, Schedule.hourly(), now)
                : Optional.empty();
        report.ifPresent(found -> log.accept("migration: " + found.totals().findings()
                + " apps differ, left until an operator decides which side is right"));
        return report.isPresent();
    }

    private void tidy() {
        platform.transactions.useTransaction(
                READ_COMMITTED,
                handle -> handle.execute("DELETE FROM worker WHERE seen_at < CURRENT_TIMESTAMP - INTERVAL '1' DAY"));
        while (platform.idempotency.purgeExpired(500) == 500) {
            // There may be more batches.
        }
        int deleted;
        do {
            deleted = platform.transactions.inTransaction(
                    READ_COMMITTED, handle -> platform.events.outbox().deletePublished(handle, REMEMBERED, 500));
        } while (deleted == 500);
    }

    @Override
    public void close() {
        running.forEach(Repeated::close);
    }
}
