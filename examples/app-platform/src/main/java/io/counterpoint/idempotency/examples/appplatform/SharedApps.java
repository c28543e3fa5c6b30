package io.counterpoint.idempotency.examples.appplatform;

import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/** The second level of the cache, which all processes share. It lies between an {@link AppCache} and the database. */
@FunctionalInterface
interface SharedApps {

    /** There is none: every read goes to the database. */
    SharedApps NONE = (id, atLeast, source) -> new Read(source.apply(id), AppCache.BOUND.lag());

    /**
     * What a read found.
     *
     * @param left how much longer it may be shown
     */
    record Read(Optional<AppCache.App> app, Duration left) {}

    /**
     * Returns an app that is at least of this version, or else what the source says, which is shared from then on.
     *
     * @param source the database; what it throws is thrown
     */
    Read read(UUID id, long atLeast, Function<UUID, Optional<AppCache.App>> source);
}
