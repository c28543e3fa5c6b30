/** Connections, transactions and the steps in them: the core's {@code spi} implemented on JDBC. */
@NullMarked
package io.counterpoint.idempotency.jdbc.session;

import org.jspecify.annotations.NullMarked;
