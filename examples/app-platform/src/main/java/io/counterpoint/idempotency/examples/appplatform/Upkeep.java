package io.counterpoint.idempotency.examples.appplatform;

import static io.counterpoint.idempotency.jdbc.Isolation.READ_COMMITTED;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.check.CheckReport;
import io.counterpoint.idempotency.consistency.check.CheckResult;
import io.counterpoint.idempotency.consistency.check.RepairReport;
import io.counterpoint.idempotency.consistency.check.Schedule;
import io.counterpoint.idempotency.consistency.comparison.Report;
import io.counterpoint.idempotency.consistency.outbox.Outbox;
import io.counterpoint.idempotency.examples.appplatform.usecase.ChargePayment;
import io.counterpoint.idempotency.examples.appplatform.usecase.PathMode;
import io.counterpoint.idempotency.examples.appplatform.usecase.ProvisionDatabase;
import io.counterpoint.idempotency.examples.appplatform.usecase.PublishApp;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;

/** Looks after the service: resumes what is abandoned, checks, repairs, and deletes what is expired. */
final class Upkeep implements AutoCloseable {

    private static final Duration REMEMBERED = Duration.ofDays(30);

    private final Platform.Times times;
    private final Transactions transactions;
    private final Idempotency<Handle> idempotency;
    private final Outbox outbox;
    private final PublishApp publishApp;
    private final ProvisionDatabase provisionDatabase;
    private final ChargePayment chargePayment;
    private final SearchNode search;
    private final PlatformChecks checks;
    private final PathSwitch paths;
    private final Migration migration;
    private final Consumer<String> log;
    private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();

    Upkeep(
            Platform.Times times,
            Transactions transactions,
            Idempotency<Handle> idempotency,
            Outbox outbox,
            PublishApp publishApp,
            ProvisionDatabase provisionDatabase,
            ChargePayment chargePayment,
            SearchNode search,
            PlatformChecks checks,
            PathSwitch paths,
            Migration migration,
            Consumer<String> log) {
        this.times = times;
        this.transactions = transactions;
        this.idempotency = idempotency;
        this.outbox = outbox;
        this.publishApp = publishApp;
        this.provisionDatabase = provisionDatabase;
        this.chargePayment = chargePayment;
        this.search = search;
        this.checks = checks;
        this.log = log;
        this.paths = paths;
        this.migration = migration;
    }

    /** What is done again and again, with a pause after each time. */
    record Routine(String name, Duration pause, Runnable work) {}

    /** Begins to resume what is abandoned, to check, to mend what the checks find if it is wanted, and to tidy up. */
    void schedule(boolean repairs) {
        for (Routine routine : routines(repairs)) {
            long pause = routine.pause().toMillis();
            var unused = scheduler.scheduleWithFixedDelay(() -> attempt(routine), pause, pause, TimeUnit.MILLISECONDS);
        }
    }

    /** What {@link #schedule} repeats. */
    List<Routine> routines(boolean repairs) {
        return List.of(
                new Routine("resume", times.abandonedAfter().dividedBy(2), this::resumeAbandoned),
                new Routine("checks", times.checksEvery(), () -> check(Instant.now(), repairs)),
                new Routine("search", Duration.ofHours(1), this::compareSearch),
                new Routine("migration", Duration.ofMinutes(10), () -> compareMigration(Instant.now())),
                new Routine("tidy", Duration.ofHours(1), this::tidy));
    }

    private void attempt(Routine routine) {
        try {
            routine.work().run();
        } catch (RuntimeException | Error fault) {
            // The next time may be better; without this there would be none.
            log.accept(routine.name() + ": " + fault);
        }
    }

    /** Resumes what others have abandoned; what fails holds up nothing else. Returns how many. */
    int resumeAbandoned() {
        int published = publishApp.resume(
                times.abandonedAfter(), (held, why) -> log.accept("publication of " + held.id() + ": " + why));
        int provisioned = provisionDatabase.resume(
                times.abandonedAfter(), (held, why) -> log.accept("database of " + held.id() + ": " + why));
        int paid = chargePayment.resume(
                times.abandonedAfter(), (whose, why) -> log.accept("payment of " + whose + ": " + why));
        if (published + provisioned + paid > 0) {
            log.accept("resumed " + published + " abandoned publications, " + provisioned + " abandoned databases and "
                    + paid + " abandoned payments");
        }
        return published + provisioned + paid;
    }

    /** Runs the checks whose slot has come, and mends what they find if it is wanted. Returns what they found. */
    CheckReport check(Instant now, boolean repairs) {
        CheckReport report = checks.checks().runDue(idempotency, now);
        for (CheckResult result : report.results()) {
            String what = result.offending() + " rows, "
                    + (repairs ? "which are mended now" : "left until an operator asks for its repair");
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

    /** Mends what a check finds, or says what it would do; empty if there is no such check. */
    List<RepairReport> repair(String check, boolean dryRun) {
        return checks.named(check).stream()
                .flatMap(row -> row.repairs().stream())
                .map(repair -> dryRun ? repair.dryRun(transactions) : repair.run(transactions))
                .toList();
    }

    private void compareSearch() {
        int differences = search.compare();
        if (differences > 0) {
            log.accept("search: this node's index differs from the tables about " + differences + " apps");
        }
    }

    /** While both paths are written, compares their tables, on one node an hour. Returns whether this call did. */
    boolean compareMigration(Instant now) {
        Optional<Report<UUID>> report = paths.mode() == PathMode.BOTH
                ? migration.review().detectDue(idempotency, Schedule.hourly(), now)
                : Optional.empty();
        report.ifPresent(found -> log.accept("migration: " + found.totals().findings()
                + " apps differ, left until an operator decides which side is right"));
        return report.isPresent();
    }

    private void tidy() {
        transactions.useTransaction(
                READ_COMMITTED,
                handle -> handle.execute("DELETE FROM worker WHERE seen_at < CURRENT_TIMESTAMP - INTERVAL '1' DAY"));
        while (idempotency.purgeExpired(500) == 500) {
            // There may be more.
        }
        int deleted;
        do {
            deleted = transactions.inTransaction(
                    READ_COMMITTED, handle -> outbox.deletePublished(handle, REMEMBERED, 500));
        } while (deleted == 500);
    }

    @Override
    public void close() {
        scheduler.shutdown();
        try {
            if (!scheduler.awaitTermination(10, TimeUnit.SECONDS)) {
                scheduler.shutdownNow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
