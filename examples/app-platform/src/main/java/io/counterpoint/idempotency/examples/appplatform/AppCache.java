package io.counterpoint.idempotency.examples.appplatform;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.counterpoint.idempotency.consistency.outbox.OutboxEvent;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Apps as they were a moment ago, in every process. An event makes the cache forget what is older than its version, and a
 * refill that was read before is not stored after it. The process that gets the event tells the others by {@link
 * Invalidations}. What no event reaches is forgotten when its time is up, so the bound holds in every process. Thread-safe.
 */
final class AppCache {

    static final Bound BOUND = new Bound(
            "cache invalidation",
            "an event for each version; entries live no longer than the bound",
            "nothing: a version is forgotten once",
            Duration.ofSeconds(30));

    private static final int MOST = 10_000;

    /** What is shown of an app. */
    record App(UUID id, long workspace, String name, String status, String databaseStatus, long version) {}

    /**
     * An app, or that everything older than a version is out of date.
     *
     * @param askedAt when this process began to look for it
     * @param until it is not shown from then on
     */
    private record Cached(@Nullable App app, long version, long askedAt, long until) {}

    private final SharedApps shared;
    private final Function<UUID, Optional<App>> source;
    private final LongSupplier nanoTime;
    private final Cache<UUID, Cached> entries;
    /** What was looked for no later than this counts no more, also if it is stored later. */
    private volatile long clearedAt;

    /** Without a level that other processes share. */
    AppCache(Function<UUID, Optional<App>> source, LongSupplier nanoTime) {
        this(SharedApps.NONE, source, nanoTime);
    }

    AppCache(SharedApps shared, Function<UUID, Optional<App>> source, LongSupplier nanoTime) {
        this.shared = shared;
        this.source = source;
        this.nanoTime = nanoTime;
        this.clearedAt = nanoTime.getAsLong() - 1;
        this.entries = Caffeine.newBuilder()
                .maximumSize(MOST)
                .expireAfterWrite(BOUND.lag())
                .ticker(nanoTime::getAsLong)
                .build();
    }

    /** An app that is at least of this version if there is one; what a session has written it reads. */
    Optional<App> get(UUID id, long atLeast) {
        long now = nanoTime.getAsLong();
        Cached entry = entries.getIfPresent(id);
        if (entry != null
                && entry.app() != null
                && entry.version() >= atLeast
                && entry.askedAt() - clearedAt > 0
                && now - entry.until() < 0) {
            return Optional.of(entry.app());
        }
        // What this process has heard of, it shows: others may not have heard of it yet.
        long known = entry == null ? atLeast : Math.max(atLeast, entry.version());
        SharedApps.Read read = shared.read(id, known, source);
        // It is no older than at this moment, however long the read takes.
        long until = now + read.left().toNanos();
        read.app().ifPresent(app -> put(id, new Cached(app, app.version(), now, until)));
        return read.app();
    }

    /** Forgets what is older. */
    void invalidate(UUID id, long version) {
        long now = nanoTime.getAsLong();
        put(id, new Cached(null, version, now, now));
    }

    void on(OutboxEvent event) {
        invalidate(UUID.fromString(event.orderKey().orElseThrow()), Long.parseLong(event.payload()));
    }

    /** Shows nothing of before: invalidations may have been missed. It stays known what is out of date. */
    void clear() {
        clearedAt = nanoTime.getAsLong();
    }

    private void put(UUID id, Cached entry) {
        // An invalidation of the version that is cached changes nothing; a refill of it counts.
        var unused = entries.asMap()
                .merge(
                        id,
                        entry,
                        (there, fresh) -> fresh.version() > there.version()
                                        || (fresh.version() == there.version() && fresh.app() != null)
                                ? fresh
                                : there);
    }
}
