/** PostgreSQL: its statements, its errors, its catalogue. */
@NullMarked
package io.counterpoint.idempotency.jdbc.postgresql;

import org.jspecify.annotations.NullMarked;
