package io.counterpoint.idempotency.examples.appplatform;

import static org.jdbi.v3.core.transaction.TransactionIsolationLevel.READ_COMMITTED;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.check.CheckReport;
import io.counterpoint.idempotency.consistency.comparison.JdbiJournal;
import io.counterpoint.idempotency.examples.appplatform.usecase.ChargePayment;
import io.counterpoint.idempotency.examples.appplatform.usecase.CreateApp;
import io.counterpoint.idempotency.examples.appplatform.usecase.ProvisionDatabase;
import io.counterpoint.idempotency.examples.appplatform.usecase.PublishApp;
import io.counterpoint.idempotency.examples.appplatform.usecase.Step;
import io.counterpoint.idempotency.examples.appplatform.usecase.TriggerExecution;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;

/** The service without HTTP: its use cases, what follows them, and what looks after them on a schedule. */
final class Platform implements AutoCloseable {

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

    /** How old a difference of the migration is before it is a finding: younger ones may be a write that is under way. */
    private static final Duration MINIMUM_AGE = Duration.ofMillis(300);

    private final Database database;
    private final Outside outside;
    private final Transactions transactions;
    private final Events events = new Events();
    private final ExecutionLogs logs;
    private final Runner runner;
    private final ShownApps apps;
    private final AppCache cache;
    private final Invalidations invalidations;
    private final PlatformChecks checks;
    private final CreateApp createApp;
    private final PublishApp publishApp;
    private final ProvisionDatabase provisionDatabase;
    private final TriggerExecution triggerExecution;
    private final ChargePayment chargePayment;
    private final SearchNode search;
    private final PathSwitch paths;
    private final MigrationReview migration;
    private final Followers followers;
    private final Upkeep upkeep;

    /** With a payment provider in this process. */
    Platform(Database database, Times times, Consumer<Step> at, Consumer<String> log) {
        this(database, Outside.local(), times, at, log);
    }

    /** Wires everything. Nothing runs before {@link #start}; what is outside is closed with this. */
    Platform(Database database, Outside outside, Times times, Consumer<Step> at, Consumer<String> log) {
        this.database = database;
        this.outside = outside;
        JdbiIdempotencyStore store = database.store();
        JdbiIdempotencyStore behind = database.storeBehind();
        transactions = Transactions.on(behind).withRetries(100);
        Idempotency<Handle> idempotency = Idempotency.on(behind);
        logs = new ExecutionLogs(transactions, fault -> log.accept("execution logs: " + fault));
        runner = new Runner(transactions, logs, times.silence(), fault -> log.accept("runner: " + fault));
        apps = new ShownApps(database.jdbi());
        cache = new AppCache(apps::find, System::nanoTime);
        invalidations = database.invalidations(cache, line -> log.accept("invalidations: " + line));
        checks = new PlatformChecks(events, times.silence());
        createApp = new CreateApp(store, database.paths(), events, at);
        Transactions requests = Transactions.on(store).withRetries(100);
        publishApp = new PublishApp(requests, outside.artifacts(), events, at);
        provisionDatabase = new ProvisionDatabase(database.jdbi(), requests, events, at);
        triggerExecution = new TriggerExecution(store, events, runner, at);
        chargePayment = new ChargePayment(store, outside.payments(), outside.clock(), at);
        search = new SearchNode(transactions, events.outbox(), times.silence(), log);
        followers = new Followers(transactions, idempotency, events.outbox(), cache, invalidations, search, log);
        paths = new PathSwitch(transactions, database.paths());
        migration =
                new MigrationReview(database.jdbi(), new Migration(database.jdbi(), MINIMUM_AGE, line -> {}), events);
        upkeep = new Upkeep(
                times,
                transactions,
                idempotency,
                events.outbox(),
                publishApp,
                provisionDatabase,
                chargePayment,
                search,
                checks,
                paths,
                migration,
                log);
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
        invalidations.start();
        logs.start();
        startRunner();
        search.start();
        followers.start();
        return this;
    }

    /** Shows that it is alive, and hands on nothing: what a node does that only answers. */
    Platform startRunner() {
        runner.start();
        return this;
    }

    /** What looks after the service, on a schedule or when it is asked to. */
    Upkeep upkeep() {
        return upkeep;
    }

    Database database() {
        return database;
    }

    Outside outside() {
        return outside;
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

    SearchNode search() {
        return search;
    }

    /** Compares this node's search index with the tables, and runs all checks. */
    CheckReport check() {
        int unused = search.compare();
        return checks.checks().run(transactions);
    }

    /** Lets every node fill its search index again: the tables are right. Returns the number of nodes. */
    int rebuildSearch() {
        return transactions.inTransaction(READ_COMMITTED, events::rebuildSearch);
    }

    PathSwitch paths() {
        return paths;
    }

    MigrationReview migration() {
        return migration;
    }

    ShownApps apps() {
        return apps;
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
        return measuredLags().map(Lag::measured).toList();
    }

    /** Measures lags anew. */
    void forgetLags() {
        measuredLags().forEach(Lag::forget);
    }

    private Stream<Lag> measuredLags() {
        return Stream.concat(Stream.of(logs.lag()), followers.lags().stream());
    }

    /** Whether all changes have been followed. */
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

    /** Ends in good order: what is under way comes to its end, and every line that was said is written. */
    @Override
    public void close() {
        upkeep.close();
        followers.close();
        search.close();
        invalidations.close();
        runner.close();
        logs.close();
        outside.close();
    }
}
