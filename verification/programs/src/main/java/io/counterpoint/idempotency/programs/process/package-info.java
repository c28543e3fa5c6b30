/** Processes of this program's classes, what keeps them running, and work that is done again and again. */
@NullMarked
package io.counterpoint.idempotency.programs.process;

import org.jspecify.annotations.NullMarked;
