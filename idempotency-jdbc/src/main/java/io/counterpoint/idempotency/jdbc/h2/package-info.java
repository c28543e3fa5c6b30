/** H2: its statements, its errors, its catalogue. */
@NullMarked
package io.counterpoint.idempotency.jdbc.h2;

import org.jspecify.annotations.NullMarked;
