package io.counterpoint.idempotency.consistency.invalidation;

/**
 * A cache within one process, such as a {@link VersionedCache}. If you adapt a different cache, both methods must also
 * apply to reads in progress: a value that was read before the call must not be stored after it.
 */
public interface InvalidatedCache {

    /**
     * Removes an entry that is older than a version.
     *
     * @param id the identifier of the entry
     * @param version the current version, or {@link Invalidation#ANY} if no cached version may be returned again
     */
    void invalidate(String id, long version);

    /** Removes all entries, because invalidations may have been missed. */
    void clear();
}
