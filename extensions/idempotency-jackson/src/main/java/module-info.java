/** Strict, versioned JSON codecs for stored results, with Jackson 2. */
module io.counterpoint.idempotency.jackson {
    requires transitive io.counterpoint.idempotency;
    requires com.fasterxml.jackson.annotation;
    requires transitive com.fasterxml.jackson.core;
    requires transitive com.fasterxml.jackson.databind;
    requires com.fasterxml.jackson.datatype.jdk8;
    requires com.fasterxml.jackson.datatype.jsr310;
    requires static org.jspecify;

    exports io.counterpoint.idempotency.jackson;
}
