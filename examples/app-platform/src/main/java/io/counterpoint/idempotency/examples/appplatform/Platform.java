package io.counterpoint.idempotency.examples.appplatform;

import static org.jdbi.v3.core.transaction.TransactionIsolationLevel.READ_COMMITTED;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.check.CheckReport;
import io.counterpoint.idempotency.consistency.check.RepairReport;
import io.counterpoint.idempotency.consistency.comparison.JdbiJournal;
import io.counterpoint.idempotency.consistency.outbox.EventConsumer;
import io.counterpoint.idempotency.consistency.outbox.IdempotentConsumer;
import io.counterpoint.idempotency.consistency.outbox.OutboxEvent;
import io.counterpoint.idempotency.consistency.outbox.OutboxPublisher;
import io.counterpoint.idempotency.consistency.outbox.OutboxPublisher.Round;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;

/** The service without HTTP: its use cases, what follows them, and what looks after them on a schedule. */
final class Platform implements AutoCloseable {

    private static final Duration REMEMBERED = Duration.ofDays(30);

    /**
     * How long is too long.
     *
     * @param abandonedAfter an intermediate state older than that is resumed
     * @param silence a runner that was not seen for so long is dead; whole seconds
     * @param checksEvery how often the checks are asked whether their slot has come
     */
    record Times(Duration abandonedAfter, Duration silence, Duration checksEvery) {
        static final Times USUAL = new Times(Duration.ofMinutes(1), Duration.ofMinutes(1), Duration.ofMinutes(1));
    }

    private final Database database;
    private final Times times;
    private final Consumer<String> log;
    private final Transactions transactions;
    private final Idempotency<Handle> idempotency;
    private final Events events = new Events();
    private final ExecutionLogs logs;
    private final Runner runner;
    private final AppCache cache;
    private final PlatformChecks checks;
    private final CreateApp createApp;
    private final PublishApp publishApp;
    private final ProvisionDatabase provisionDatabase;
    private final TriggerExecution triggerExecution;
    private final ChargePayment chargePayment;
    private final Lag cacheLag = new Lag(AppCache.BOUND);
    private final Lag searchLag = new Lag(SearchIndex.BOUND);
    private final Lag usageLag = new Lag(UsageStatistics.BOUND);
    private final List<OutboxPublisher> publishers;
    private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();

    /** Wires everything. Nothing runs before {@link #start}. */
    Platform(Database database, Times times, Consumer<Step> at, Consumer<String> log) {
        this.database = database;
        this.times = times;
        this.log = log;
        JdbiIdempotencyStore store = database.store();
        JdbiIdempotencyStore behind = database.storeBehind();
        transactions = Transactions.on(behind).withRetries(100);
        idempotency = Idempotency.on(behind);
        logs = new ExecutionLogs(transactions, fault -> log.accept("execution logs: " + fault));
        runner = new Runner(transactions, logs, times.silence(), fault -> log.accept("runner: " + fault));
        cache = new AppCache(this::read, System::nanoTime);
        checks = new PlatformChecks(events, times.silence());
        createApp = new CreateApp(store, events, at);
        Transactions requests = Transactions.on(store).withRetries(100);
        publishApp = new PublishApp(requests, events, at);
        provisionDatabase = new ProvisionDatabase(database.jdbi(), requests, events, at);
        triggerExecution = new TriggerExecution(store, events, runner, at);
        chargePayment = new ChargePayment(store, at);
        publishers = List.of(
                publisher(Events.CACHE, cacheLag, cache::on),
                publisher(Events.SEARCH, searchLag, IdempotentConsumer.of(idempotency, "search", SearchIndex::apply)),
                publisher(Events.USAGE, usageLag, IdempotentConsumer.of(idempotency, "usage", UsageStatistics::apply)));
    }

    private OutboxPublisher publisher(String topic, Lag lag, EventConsumer consumer) {
        return OutboxPublisher.of(transactions, events.outbox(), topic, consumer)
                .batch(100)
                .poll(Duration.ofMillis(100))
                .listener(new OutboxPublisher.Listener() {
                    @Override
                    public void published(String published, Round round) {
                        if (!round.isEmpty()) {
                            lag.seen(round.published(), round.lag());
                        }
                    }

                    @Override
                    public void refused(OutboxEvent event, int attempt, Throwable thrown) {
                        log.accept(event + " was refused, attempt " + attempt + ": " + thrown);
                    }

                    @Override
                    public void failed(String failed, Throwable thrown) {
                        log.accept("outbox topic " + failed + ": " + thrown);
                    }
                })
                .build();
    }

    /** Creates what is missing, as a demonstration may; a service has migrations. */
    Platform createTables() {
        database.createDomainTables();
        database.store().createTableIfMissing().checkTable();
        JdbiJournal.on(database.jdbi()).createTablesIfMissing();
        database.jdbi().useHandle(handle -> {
            events.outbox().createTableIfMissing(handle);
            publishApp.publication().createHistoryIfMissing(handle);
            checks.rows().get(0).repairs().get(0).createAuditIfMissing(handle);
        });
        return this;
    }

    /** Begins to run executions and to hand on events, without a schedule. */
    Platform start() {
        database.jdbi().useHandle(handle -> {
            publishApp.publication().checkTable(handle);
            provisionDatabase.provisioning().checkTable(handle);
        });
        logs.start();
        startRunner();
        publishers.forEach(OutboxPublisher::start);
        return this;
    }

    /** Shows that it is alive, and hands on nothing: what a node does that only answers. */
    Platform startRunner() {
        runner.start();
        return this;
    }

    /** Begins to resume what is abandoned, to check, to mend what the checks find if it is wanted, and to tidy up. */
    Platform schedule(boolean repairs) {
        every(times.abandonedAfter().dividedBy(2), "resume", this::resumeAbandoned);
        every(times.checksEvery(), "checks", () -> check(Instant.now(), repairs));
        every(Duration.ofHours(1), "tidy", this::tidy);
        return this;
    }

    private void every(Duration pause, String what, Runnable work) {
        var unused = scheduler.scheduleWithFixedDelay(
                () -> {
                    try {
                        work.run();
                    } catch (RuntimeException fault) {
                        // The next time may be better; without this there would be none.
                        log.accept(what + ": " + fault);
                    }
                },
                pause.toMillis(),
                pause.toMillis(),
                TimeUnit.MILLISECONDS);
    }

    /** Resumes what others have abandoned; what fails holds up nothing else. Returns how many apps. */
    int resumeAbandoned() {
        int published = publishApp.resume(
                times.abandonedAfter(), (held, why) -> log.accept("publication of " + held.id() + ": " + why));
        int provisioned = provisionDatabase.resume(
                times.abandonedAfter(), (held, why) -> log.accept("database of " + held.id() + ": " + why));
        if (published + provisioned > 0) {
            log.accept("resumed " + published + " abandoned publications and " + provisioned + " abandoned databases");
        }
        return published + provisioned;
    }

    /** Runs the checks whose slot has come, and mends what they find if it is wanted. Returns what they found. */
    CheckReport check(Instant now, boolean repairs) {
        CheckReport report = checks.checks().runDue(idempotency, now);
        report.results().stream()
                .filter(result -> result.error().isPresent() || result.offending() > 0)
                .forEach(result -> {
                    log.accept("check " + result.check() + ": "
                            + result.error()
                                    .orElse(result.offending()
                                            + (repairs
                                                    ? " rows, which are mended now"
                                                    : " rows, left until an operator asks for its repair")));
                    if (repairs && result.error().isEmpty()) {
                        repair(result.check(), false);
                    }
                });
        return report;
    }

    /** Mends what a check finds, or says what it would do; empty if there is no such check. */
    List<RepairReport> repair(String check, boolean dryRun) {
        List<RepairReport> reports = new ArrayList<>();
        checks.named(check)
                .ifPresent(row -> row.repairs()
                        .forEach(repair ->
                                reports.add(dryRun ? repair.dryRun(transactions) : repair.run(transactions))));
        return reports;
    }

    private void tidy() {
        while (idempotency.purgeExpired(500) == 500) {
            // There may be more.
        }
        int deleted;
        do {
            deleted = transactions.inTransaction(
                    READ_COMMITTED, handle -> events.outbox().deletePublished(handle, REMEMBERED, 500));
        } while (deleted == 500);
    }

    Database database() {
        return database;
    }

    Transactions transactions() {
        return transactions;
    }

    Events events() {
        return events;
    }

    PlatformChecks checks() {
        return checks;
    }

    AppCache cache() {
        return cache;
    }

    CreateApp createApp() {
        return createApp;
    }

    PublishApp publishApp() {
        return publishApp;
    }

    ProvisionDatabase provisionDatabase() {
        return provisionDatabase;
    }

    TriggerExecution triggerExecution() {
        return triggerExecution;
    }

    ChargePayment chargePayment() {
        return chargePayment;
    }

    /** The parts that follow, in the order of their bounds. */
    List<Lag.Measured> lags() {
        return List.of(logs.lag().measured(), searchLag.measured(), cacheLag.measured(), usageLag.measured());
    }

    /** Measures lags anew. */
    void forgetLags() {
        List.of(logs.lag(), searchLag, cacheLag, usageLag).forEach(Lag::forget);
    }

    /** Whether everything that has happened has been followed. */
    boolean isQuiet() {
        return database.jdbi()
                .withHandle(handle -> handle.createQuery("""
                                SELECT (SELECT count(*) FROM outbox_event WHERE published_at IS NULL AND parked_at IS NULL)
                                    + (SELECT count(*) FROM execution WHERE status = 'running' AND runner = ?)
                                """)
                                .bind(0, runner.id())
                                .mapTo(Long.class)
                                .one()
                        == 0);
    }

    /** The version of an app as it is now, for everybody; 0 if it is gone. */
    long version(UUID app) {
        return read(app).map(AppCache.App::version).orElse(0L);
    }

    private Optional<AppCache.App> read(UUID id) {
        return database.jdbi()
                .withHandle(handle -> handle.createQuery("""
                                SELECT workspace_id, name, status, database_status, version FROM app
                                WHERE id = ? AND deleted_at IS NULL
                                """)
                        .bind(0, id)
                        .map((row, context) -> new AppCache.App(
                                id,
                                row.getLong(1),
                                row.getString(2),
                                row.getString(3),
                                row.getString(4),
                                row.getLong(5)))
                        .findOne());
    }

    /** Ends in good order: what is under way comes to its end, and every line that was said is written. */
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
        publishers.forEach(OutboxPublisher::close);
        runner.close();
        logs.close();
    }
}
