/**
 * The command line for {@link io.counterpoint.idempotency.admin.Administration}. Its commands are the stable interface.
 */
@NullMarked
package io.counterpoint.idempotency.admin.cli;

import org.jspecify.annotations.NullMarked;
