/** The store for PostgreSQL and H2: {@link io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore}. */
@NullMarked
package io.counterpoint.idempotency.jdbc;

import org.jspecify.annotations.NullMarked;
