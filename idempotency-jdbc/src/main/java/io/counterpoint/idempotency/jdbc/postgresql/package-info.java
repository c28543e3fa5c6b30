/** PostgreSQL: its statements, its errors, its catalogue; and the plain dialect for servers that speak as it does. */
@NullMarked
package io.counterpoint.idempotency.jdbc.postgresql;

import org.jspecify.annotations.NullMarked;
