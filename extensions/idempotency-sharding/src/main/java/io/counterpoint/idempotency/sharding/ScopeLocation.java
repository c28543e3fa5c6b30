package io.counterpoint.idempotency.sharding;

/** The location of the records of a scope, as known to the application. */
public sealed interface ScopeLocation {

    /**
     * The records are on a shard.
     *
     * @param shard the name of the shard
     */
    record On(String shard) implements ScopeLocation {}

    /** The records are being moved, so no call may begin. */
    record Moving() implements ScopeLocation {}

    /** The application does not know the scope. */
    record Unknown() implements ScopeLocation {}

    /**
     * The records are on a shard.
     *
     * @param shard the name of the shard
     * @return the location
     */
    static ScopeLocation on(String shard) {
        return new On(shard);
    }

    /**
     * The records are being moved. Calls are rejected as not started and can be retried.
     *
     * @return the location
     */
    static ScopeLocation moving() {
        return new Moving();
    }

    /**
     * The application does not know the scope. Calls are rejected as invalid.
     *
     * @return the location
     */
    static ScopeLocation unknown() {
        return new Unknown();
    }
}
