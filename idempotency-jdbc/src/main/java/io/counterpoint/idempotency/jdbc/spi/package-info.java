/**
 * The interface for adding a database: a {@link io.counterpoint.idempotency.jdbc.spi.Dialect}. Applications do not use
 * this package.
 */
@NullMarked
package io.counterpoint.idempotency.jdbc.spi;

import org.jspecify.annotations.NullMarked;
