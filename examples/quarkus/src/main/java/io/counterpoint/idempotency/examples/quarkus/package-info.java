/** A Quarkus service that creates groups, each only once however many times a client sends the request. */
@NullMarked
package io.counterpoint.idempotency.examples.quarkus;

import org.jspecify.annotations.NullMarked;
