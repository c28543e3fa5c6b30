/** Strict, versioned JSON codecs for stored results, with Jackson 3. */
// The digit is Jackson's major version, as in its own artifacts.
@SuppressWarnings("module")
module io.counterpoint.idempotency.jackson3 {
    requires transitive io.counterpoint.idempotency;
    requires com.fasterxml.jackson.annotation;
    requires transitive tools.jackson.core;
    requires transitive tools.jackson.databind;
    requires static org.jspecify;

    exports io.counterpoint.idempotency.jackson3;
}
