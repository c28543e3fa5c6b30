package io.counterpoint.idempotency.consistency.invalidation;

/**
 * A cache within one process. {@link VersionedCache} implements it. In a wrapper for another cache, both methods must
 * also cover reads in progress: a value read before the call must not be cached after it.
 */
public interface InvalidatedCache {

    /**
     * Removes an entry that is older than a version.
     *
     * @param id whose
     * @param version the current version, or {@link Invalidation#ANY}, after which no cached value of the entry is
     *     returned
     */
    void invalidate(String id, long version);

    /** Forgets everything, because invalidations may have been missed. */
    void clear();
}
