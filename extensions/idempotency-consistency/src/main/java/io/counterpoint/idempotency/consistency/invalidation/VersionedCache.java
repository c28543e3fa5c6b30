package io.counterpoint.idempotency.consistency.invalidation;

import io.counterpoint.idempotency.IdempotencyClock;
import io.counterpoint.idempotency.consistency.internal.DatabaseProduct;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Caches recently read values, but never returns one that is known to be out of date. A value that was read before an
 * invalidation is not stored after it, no matter how slow the read is. No value is returned longer than the maximum age
 * after its read began, even if invalidations were missed. Thread-safe; the source is called without a lock.
 *
 * @param <V> the type of the values
 */
public final class VersionedCache<V> implements InvalidatedCache {

    /** A read stores its value in the entry that it found or created, if that is still in the map. */
    private static final class Slot<V> {
        private @Nullable V value;
        private long version = Long.MIN_VALUE;
        private Instant readAt = Instant.MIN;
        private Instant readAtByTheWall = Instant.MIN;
    }

    private final int most;
    private final Duration bound;
    private final ToLongFunction<V> version;
    private final Function<String, Optional<V>> source;
    private final IdempotencyClock clock;
    /** Guarded by itself; in access order. */
    private final Map<String, Slot<V>> entries;

    private VersionedCache(
            int most,
            Duration bound,
            ToLongFunction<V> version,
            Function<String, Optional<V>> source,
            IdempotencyClock clock) {
        if (bound.isZero() || bound.isNegative()) {
            throw new IllegalArgumentException("The maximum age must be positive, found " + bound + ".");
        }
        this.most = DatabaseProduct.positive("the size of a cache", most);
        this.bound = bound;
        this.version = version;
        this.source = source;
        this.clock = clock;
        this.entries = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Slot<V>> eldest) {
                return size() > most;
            }
        };
    }

    /**
     * Creates a cache in front of a source.
     *
     * @param most the maximum number of values; the least recently used one is evicted
     * @param bound the maximum age: how long after its read a value may be returned
     * @param version returns the version of a value, which increases with each change; 0 if there are none, in which
     *     case invalidations use {@link Invalidation#ANY}
     * @param source reads the current value, or returns empty if there is none; its exceptions propagate
     * @param <V> the type of the values
     * @return an empty cache
     */
    public static <V> VersionedCache<V> of(
            int most, Duration bound, ToLongFunction<V> version, Function<String, Optional<V>> source) {
        return new VersionedCache<>(most, bound, version, source, IdempotencyClock.system());
    }

    /**
     * Returns an empty cache with the same settings and a different clock.
     *
     * @param other the clock; an age is the larger of the differences in its monotonic and its wall-clock time
     * @return a new cache
     */
    public VersionedCache<V> with(IdempotencyClock other) {
        return new VersionedCache<>(most, bound, version, source, other);
    }

    /**
     * Returns a value that may be out of date by at most the maximum age: the cached value, or else the source's.
     *
     * @param id the identifier
     * @return the value; empty if the source has none
     */
    public Optional<V> get(String id) {
        return get(id, Long.MIN_VALUE);
    }

    /**
     * Returns a value of at least the given version, if there is one.
     *
     * @param id the identifier
     * @param atLeast the version that the reader already knows
     * @return the value; empty if the source has none
     */
    public Optional<V> get(String id, long atLeast) {
        Instant now = clock.now();
        Instant byTheWall = clock.wallTime();
        synchronized (entries) {
            Slot<V> entry = entries.get(id);
            if (entry != null
                    && entry.value != null
                    && entry.version >= atLeast
                    && now.isBefore(entry.readAt.plus(bound))
                    && byTheWall.isBefore(entry.readAtByTheWall.plus(bound))) {
                return Optional.of(entry.value);
            }
        }
        return read(id);
    }

    /**
     * Reads the current value from the source and caches it.
     *
     * @param id the identifier
     * @return the value; empty if the source has none
     */
    public Optional<V> read(String id) {
        Instant now = clock.now();
        Instant byTheWall = clock.wallTime();
        Slot<V> entry;
        synchronized (entries) {
            entry = entries.computeIfAbsent(id, unused -> new Slot<>());
        }
        Optional<V> read = source.apply(id);
        long found = read.map(version::applyAsLong).orElse(Long.MIN_VALUE);
        synchronized (entries) {
            if (read.isEmpty()) {
                entries.remove(id, entry);
            } else if (found > entry.version || (found == entry.version && !now.isBefore(entry.readAt))) {
                entry.value = read.get();
                entry.version = found;
                entry.readAt = now;
                entry.readAtByTheWall = byTheWall;
            }
        }
        return read;
    }

    @Override
    public void invalidate(String id, long version) {
        synchronized (entries) {
            if (version == Invalidation.ANY) {
                entries.remove(id);
                return;
            }
            Slot<V> entry = entries.get(id);
            if (entry != null && entry.version < version) {
                entry.version = version;
                entry.value = null;
            }
        }
    }

    @Override
    public void clear() {
        synchronized (entries) {
            entries.clear();
        }
    }
}
