/** Breaks everything around the library that can be broken, and counts the promises that break as a result. */
@org.jspecify.annotations.NullMarked
package io.counterpoint.idempotency.torture;
