/**
 * What the protection costs: the library beside the unprotected transaction, beside the same statements written by hand,
 * and beside its peers, always in the same run.
 */
@NullMarked
package io.counterpoint.idempotency.benchmarks;

import org.jspecify.annotations.NullMarked;
