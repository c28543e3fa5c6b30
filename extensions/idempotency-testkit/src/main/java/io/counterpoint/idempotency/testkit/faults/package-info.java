/** Stores that fail as armed by a test, and stores that let tests intercept each single step. */
@NullMarked
package io.counterpoint.idempotency.testkit.faults;

import org.jspecify.annotations.NullMarked;
