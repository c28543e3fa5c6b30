/** What a store knows of Jdbi. Without Jdbi on the class path nothing here is loaded. */
@NullMarked
package io.counterpoint.idempotency.jdbc.jdbi;

import org.jspecify.annotations.NullMarked;
