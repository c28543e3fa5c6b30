/** Schemas with a role each on a database server, to copy: it needs Jdbi and nothing else. */
@NullMarked
package io.counterpoint.idempotency.examples.appplatform.provision;

import org.jspecify.annotations.NullMarked;
