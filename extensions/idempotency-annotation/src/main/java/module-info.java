/** The annotation Idempotent, without a framework. */
@SuppressWarnings("module")
module io.counterpoint.idempotency.annotation {
    requires transitive io.counterpoint.idempotency;
    requires static org.jspecify;

    exports io.counterpoint.idempotency.annotation;
    exports io.counterpoint.idempotency.annotation.internal to
            io.counterpoint.idempotency.jakarta,
            io.counterpoint.idempotency.spring.boot;
}
