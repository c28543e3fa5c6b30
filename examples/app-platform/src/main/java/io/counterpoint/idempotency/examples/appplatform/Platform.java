package io.counterpoint.idempotency.examples.appplatform;

import static io.counterpoint.idempotency.jdbc.Isolation.READ_COMMITTED;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.check.CheckReport;
import io.counterpoint.idempotency.consistency.comparison.JdbiJournal;
import io.counterpoint.idempotency.consistency.invalidation.CacheInvalidator;
import io.counterpoint.idempotency.consistency.invalidation.InvalidationChannel;
import io.counterpoint.idempotency.consistency.invalidation.VersionedCache;
import io.counterpoint.idempotency.examples.appplatform.ShownApps.App;
import io.counterpoint.idempotency.examples.appplatform.usecase.ChargePayment;
import io.counterpoint.idempotency.examples.appplatform.usecase.CreateApp;
import io.counterpoint.idempotency.examples.appplatform.usecase.ProvisionDatabase;
import io.counterpoint.idempotency.examples.appplatform.usecase.PublishApp;
import io.counterpoint.idempotency.examples.appplatform.usecase.Step;
import io.counterpoint.idempotency.examples.appplatform.usecase.TriggerExecution;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The service without HTTP: its use cases, what follows them, and what looks after them on a schedule. */
final class Platform implements AutoCloseable {

    /**
     * How long is too long.
     *
     * @param abandonedAfter an intermediate state older than that is resumed
     * @param silence a worker or node that was not seen for so long is dead; whole seconds
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
    private final ShownApps apps;
    private final ExecutionLags executionLags;
    private final UsageStatistics usage;
    private final VersionedCache<App> cache;
    private final CacheInvalidator caches;
    private final PlatformChecks checks;
    private final CreateApp createApp;
    private final PublishApp publishApp;
    private final ProvisionDatabase provisionDatabase;
    private final TriggerExecution triggerExecution;
    private final ChargePayment chargePayment;
    private final SearchNode search;
    private final PathSwitch paths;
    private final Migration migration;
    private final Followers followers;
    private final Upkeep upkeep;

    /** Wires everything. Nothing runs before {@link #start}; what is outside is closed with this. */
    Platform(Database database, Outside outside, Times times, Consumer<Step> at, Consumer<String> log) {
        this.database = database;
        this.outside = outside;
        JdbiIdempotencyStore store = database.store();
        JdbiIdempotencyStore behind = database.storeBehind();
        transactions = Transactions.on(behind).withRetries(100);
        executionLags = new ExecutionLags(database.jdbi());
        usage = new UsageStatistics(transactions, () -> {}, log);
        apps = new ShownApps(database.jdbi());
        cache = apps.cache();
        InvalidationChannel channel =
                outside.redis().<InvalidationChannel>map(RedisChannel::new).orElseGet(database::invalidations);
        caches = CacheInvalidator.over(channel, Map.of(ShownApps.TYPE, cache), told(log));
        checks = new PlatformChecks(events, times.silence(), database.missingOnServer());
        createApp = new CreateApp(store, database.paths(), events, at);
        Transactions requests = Transactions.on(store).withRetries(100);
        publishApp = new PublishApp(requests, outside.artifacts(), events, at);
        provisionDatabase = new ProvisionDatabase(store, database.server(), events, at);
        triggerExecution = new TriggerExecution(store, events, at);
        chargePayment = new ChargePayment(store, outside.payments(), outside.clock(), at);
        search = new SearchNode(transactions, events.outbox(), times.silence(), log);
        followers = new Followers(transactions, events.outbox(), caches, search, log);
        paths = new PathSwitch(transactions, database.paths());
        migration = new Migration(database.jdbi(), MINIMUM_AGE, events);
        upkeep = new Upkeep(
                times,
                transactions,
                Idempotency.on(behind),
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

    private static CacheInvalidator.Listener told(Consumer<String> log) {
        return new CacheInvalidator.Listener() {
            @Override
            public void listening() {
                log.accept("invalidations: listening");
            }

            @Override
            public void lost(Exception thrown) {
                log.accept(
                        "invalidations: the channel cannot be used, trying again until it can: " + thrown.getMessage());
            }
        };
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

    /** Begins to hand on events and to count usage, without a schedule. Executions are run by workers. */
    Platform start() {
        database.jdbi().useHandle(handle -> {
            publishApp.publication().checkTable(handle);
            provisionDatabase.provisioning().checkTable(handle);
        });
        var unused = caches.start();
        search.start();
        followers.start();
        usage.start();
        executionLags.start();
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

    UsageStatistics usage() {
        return usage;
    }

    Migration migration() {
        return migration;
    }

    ShownApps apps() {
        return apps;
    }

    VersionedCache<App> cache() {
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
        return Stream.concat(executionLags.measured().stream(), ownLags().map(Lag::measured))
                .sorted(Comparator.comparing(lag -> lag.bound().lag()))
                .toList();
    }

    /** Measures lags anew. */
    void forgetLags() {
        executionLags.forget();
        ownLags().forEach(Lag::forget);
    }

    private Stream<Lag> ownLags() {
        return Stream.concat(followers.lags().stream(), Stream.of(usage.lag()));
    }

    /** Whether all changes have been followed, and all executions run. */
    boolean isQuiet() {
        return database.jdbi()
                .withHandle(handle ->
                        handle.createQuery("""
                                SELECT count(*) FROM outbox_event WHERE published_at IS NULL AND parked_at IS NULL
                                """).mapTo(Long.class).one() == 0 && UsageStatistics.isCurrent(handle));
    }

    /** Ends in good order: what is under way comes to its end. */
    @Override
    public void close() {
        upkeep.close();
        followers.close();
        search.close();
        caches.close();
        usage.close();
        outside.close();
    }
}
