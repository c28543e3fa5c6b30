/** A service of Quarkus that creates groups: each once, however often a client sends its request. */
@NullMarked
package io.counterpoint.idempotency.examples.quarkus;

import org.jspecify.annotations.NullMarked;
