/** Faults of a driver, in tests of use cases. Start at {@link FaultInjection}. */
@NullMarked
package io.counterpoint.idempotency.jdbc.testkit.faults;

import org.jspecify.annotations.NullMarked;
