/** The store's integration with Jdbi. Nothing here is loaded unless Jdbi is on the class path. */
@NullMarked
package io.counterpoint.idempotency.jdbc.jdbi;

import org.jspecify.annotations.NullMarked;
