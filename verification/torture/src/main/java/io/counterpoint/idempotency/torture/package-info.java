/** Breaks everything around the library that can be broken, and counts the promises that broke with it. */
@org.jspecify.annotations.NullMarked
package io.counterpoint.idempotency.torture;
