/**
 * What another database needs: a {@link io.counterpoint.idempotency.jdbc.spi.Dialect}. And what a framework needs that joins
 * transactions: a {@link io.counterpoint.idempotency.jdbc.spi.JoinableConnection}. Applications do not use this package.
 */
@NullMarked
package io.counterpoint.idempotency.jdbc.spi;

import org.jspecify.annotations.NullMarked;
