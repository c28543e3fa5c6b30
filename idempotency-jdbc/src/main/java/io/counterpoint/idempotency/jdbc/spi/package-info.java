/**
 * The SPI for supporting another database: {@link io.counterpoint.idempotency.jdbc.spi.Dialect}. Applications do not
 * need this package.
 */
@NullMarked
package io.counterpoint.idempotency.jdbc.spi;

import org.jspecify.annotations.NullMarked;
