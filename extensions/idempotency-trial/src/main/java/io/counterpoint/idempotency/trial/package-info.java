/** Tests your use case under every fault of its database. Start at {@link FaultInjection}. */
@NullMarked
package io.counterpoint.idempotency.trial;

import org.jspecify.annotations.NullMarked;
