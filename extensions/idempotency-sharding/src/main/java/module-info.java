/** A store that spans several databases, each of which contains the keys of some scopes. */
module io.counterpoint.idempotency.sharding {
    requires transitive io.counterpoint.idempotency;
    requires static org.jspecify;

    exports io.counterpoint.idempotency.sharding;
}
