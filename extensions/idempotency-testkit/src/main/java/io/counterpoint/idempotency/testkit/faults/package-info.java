/** Stores that fail where a test has armed them, and stores that expose each single step. */
@NullMarked
package io.counterpoint.idempotency.testkit.faults;

import org.jspecify.annotations.NullMarked;
