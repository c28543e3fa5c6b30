/** A program that sends payments twice and kills their consumers and their broker. */
@NullMarked
package io.counterpoint.idempotency.examples.consumer.breaker;

import org.jspecify.annotations.NullMarked;
