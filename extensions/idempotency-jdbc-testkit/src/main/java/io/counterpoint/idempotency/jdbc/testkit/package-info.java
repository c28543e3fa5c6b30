/** The contract of a dialect: {@link io.counterpoint.idempotency.jdbc.testkit.DialectContract}. */
@NullMarked
package io.counterpoint.idempotency.jdbc.testkit;

import org.jspecify.annotations.NullMarked;
