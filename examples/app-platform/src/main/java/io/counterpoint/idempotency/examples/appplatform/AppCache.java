package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.consistency.outbox.OutboxEvent;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Apps as they were a moment ago. An event makes the cache forget what is older than its version, and a refill that was
 * read before is not stored after it. What no event reaches is forgotten when its time is up, so the bound holds in every
 * process, also where only one gets the events. Thread-safe.
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

    /** An app, or that everything older than a version is out of date. */
    private record Cached(@Nullable App app, long version, long readAt) {}

    private final Function<UUID, Optional<App>> source;
    private final LongSupplier nanoTime;
    private final Map<UUID, Cached> entries = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<UUID, Cached> eldest) {
            return size() > MOST;
        }
    };

    AppCache(Function<UUID, Optional<App>> source, LongSupplier nanoTime) {
        this.source = source;
        this.nanoTime = nanoTime;
    }

    /** An app that is at least of this version if there is one; what a session has written it reads. */
    Optional<App> get(UUID id, long atLeast) {
        long now = nanoTime.getAsLong();
        Cached entry = entry(id);
        if (entry != null
                && entry.app() != null
                && entry.version() >= atLeast
                && now - entry.readAt() < BOUND.lag().toNanos()) {
            return Optional.of(entry.app());
        }
        // Read at no later than this, however long it takes.
        Optional<App> read = source.apply(id);
        read.ifPresent(app -> put(id, new Cached(app, app.version(), now)));
        return read;
    }

    /** Forgets what is older. */
    void invalidate(UUID id, long version) {
        put(id, new Cached(null, version, nanoTime.getAsLong()));
    }

    void on(OutboxEvent event) {
        invalidate(UUID.fromString(event.orderKey().orElseThrow()), Long.parseLong(event.payload()));
    }

    private synchronized @Nullable Cached entry(UUID id) {
        return entries.get(id);
    }

    private synchronized void put(UUID id, Cached entry) {
        Cached there = entries.get(id);
        // An invalidation of the version that is cached changes nothing; a refill of it counts.
        if (there == null
                || entry.version() > there.version()
                || (entry.version() == there.version() && entry.app() != null)) {
            entries.put(id, entry);
        }
    }
}
