/**
 * Measures the cost of protection: compares the library with the unprotected transaction, with the same statements
 * written by hand, and with its peers, always in the same run.
 */
@NullMarked
package io.counterpoint.idempotency.benchmarks;

import org.jspecify.annotations.NullMarked;
