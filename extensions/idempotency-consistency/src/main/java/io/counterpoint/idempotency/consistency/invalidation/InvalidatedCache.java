package io.counterpoint.idempotency.consistency.invalidation;

/**
 * A cache within one process. A {@link VersionedCache} is one; around another cache, both methods have to hold for
 * reads that are under way: what was read before the call is not stored after it.
 */
public interface InvalidatedCache {

    /**
     * Removes an entry that is older than a version.
     *
     * @param id whose
     * @param version the version that is current, or {@link Invalidation#ANY}: then nothing cached of it is shown again
     */
    void invalidate(String id, long version);

    /** Forgets everything, since invalidations may have been missed. */
    void clear();
}
