/** The dialect for H2: statements, errors and catalogue. */
@NullMarked
package io.counterpoint.idempotency.jdbc.h2;

import org.jspecify.annotations.NullMarked;
