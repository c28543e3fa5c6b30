/** The dialect for PostgreSQL: statements, errors and catalogue. */
@NullMarked
package io.counterpoint.idempotency.jdbc.postgresql;

import org.jspecify.annotations.NullMarked;
