package io.counterpoint.idempotency.examples.appplatform;

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
import java.util.Map;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;

/** The service without HTTP: its use cases, the parts that follow them, and its scheduled upkeep. */
final class Platform implements AutoCloseable {

    /**
     * The timeouts.
     *
     * @param abandonedAfter intermediate states older than this are resumed
     * @param silence a worker or node that has not been seen for this long counts as dead; whole seconds
     * @param checksEvery how often to look for checks that are due
     */
    record Times(Duration abandonedAfter, Duration silence, Duration checksEvery) {
        static final Times USUAL = new Times(Duration.ofMinutes(1), Duration.ofMinutes(1), Duration.ofMinutes(1));
    }

    /** The minimum age of a difference in the migration; a younger one may be a write in flight. */
    private static final Duration MINIMUM_AGE = Duration.ofMillis(300);

    final PlatformDatabase database;
    final Outside outside;
    final Times times;
    final Transactions transactions;
    final Idempotency<Handle> idempotency;
    final Events events = new Events();
    final ShownApps apps;
    final VersionedCache<App> cache;
    final PlatformChecks checks;
    final CreateApp createApp;
    final PublishApp publishApp;
    final ProvisionDatabase provisionDatabase;
    final TriggerExecution triggerExecution;
    final ChargePayment chargePayment;
    final UsageStatistics usage;
    final PathSwitch paths;
    final Migration migration;

    final MeasuredLags lags;
    /** The service's upkeep, on a schedule or on demand. */
    final Upkeep upkeep;

    private final CacheInvalidator caches;
    private final Followers followers;

    /** Wires everything. Nothing runs until {@link #start}; closing the platform also closes {@code outside}. */
    Platform(PlatformDatabase database, Outside outside, Times times, Consumer<Step> at, Consumer<String> log) {
        this.database = database;
        this.outside = outside;
        this.times = times;
        JdbiIdempotencyStore store = database.store();
        JdbiIdempotencyStore behind = database.storeBehind();
        transactions = Transactions.on(behind).withRetries(100);
        idempotency = Idempotency.on(behind);
        lags = new MeasuredLags(database.jdbi());
        usage = new UsageStatistics(transactions, () -> {}, log);
        apps = new ShownApps(database.jdbi());
        cache = apps.cache();
        InvalidationChannel channel =
                outside.redis().<InvalidationChannel>map(RedisChannel::new).orElseGet(database::invalidations);
        caches = CacheInvalidator.over(channel, Map.of(ShownApps.TYPE, cache), told(log));
        checks = new PlatformChecks(events, times.silence());
        createApp = new CreateApp(store, events, at);
        Transactions requests = Transactions.on(store).withRetries(100);
        publishApp = new PublishApp(requests, outside.artifacts(), events, at);
        provisionDatabase = new ProvisionDatabase(store, database.server(), events, at);
        triggerExecution = new TriggerExecution(store, events, at);
        chargePayment = new ChargePayment(store, outside.payments(), outside.clock(), at);
        followers = new Followers(transactions, events.outbox(), caches, log);
        paths = new PathSwitch(transactions);
        migration = new Migration(database.jdbi(), MINIMUM_AGE, events);
        upkeep = new Upkeep(this, log);
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
                        "invalidations: the channel is unavailable, retrying until it is back: " + thrown.getMessage());
            }
        };
    }

    /** Creates missing tables, which is acceptable in a demonstration. A real service uses migrations. */
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

    /** Starts publishing events and counting usage, without scheduled upkeep. Workers run the executions. */
    Platform start() {
        database.jdbi().useHandle(handle -> {
            publishApp.publication().checkTable(handle);
            provisionDatabase.provisioning().checkTable(handle);
        });
        lags.forget();
        var unused = caches.start();
        followers.start();
        usage.start();
        return this;
    }

    /** Runs all checks. */
    CheckReport check() {
        return checks.checks().run(transactions);
    }

    /** Whether all changes have been followed and all executions have ended. */
    boolean isQuiet() {
        return database.jdbi()
                .withHandle(handle ->
                        handle.createQuery("""
                                SELECT count(*) FROM outbox_event WHERE published_at IS NULL AND parked_at IS NULL
                                """).mapTo(Long.class).one() == 0 && UsageStatistics.isCurrent(handle));
    }

    /** Shuts down gracefully: work in flight completes first. */
    @Override
    public void close() {
        upkeep.close();
        followers.close();
        caches.close();
        usage.close();
        outside.close();
    }
}
