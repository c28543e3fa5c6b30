/** The annotation Idempotent, without a framework. */
module io.counterpoint.idempotency.annotation {
    requires transitive io.counterpoint.idempotency;
    requires static org.jspecify;

    exports io.counterpoint.idempotency.annotation;
}
