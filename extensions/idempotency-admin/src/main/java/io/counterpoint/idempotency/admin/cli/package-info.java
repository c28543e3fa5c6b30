/** The command line over {@link io.counterpoint.idempotency.admin.Administration}. Its commands are the interface. */
@NullMarked
package io.counterpoint.idempotency.admin.cli;

import org.jspecify.annotations.NullMarked;
