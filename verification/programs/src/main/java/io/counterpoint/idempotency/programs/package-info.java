/** Code that this project's own programs share: options, exit codes, tables, drawings, JSON and temporary databases. */
@NullMarked
package io.counterpoint.idempotency.programs;

import org.jspecify.annotations.NullMarked;
