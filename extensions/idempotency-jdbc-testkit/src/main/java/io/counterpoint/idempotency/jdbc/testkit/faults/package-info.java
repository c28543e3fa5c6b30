/** A driver that does one of its calls wrong, and a pool that finds what was not given back. */
@NullMarked
package io.counterpoint.idempotency.jdbc.testkit.faults;

import org.jspecify.annotations.NullMarked;
