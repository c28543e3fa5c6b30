/** Connections, transactions, and the steps in them: what {@code spi} of the core asks of a store, on JDBC. */
@NullMarked
package io.counterpoint.idempotency.jdbc.session;

import org.jspecify.annotations.NullMarked;
