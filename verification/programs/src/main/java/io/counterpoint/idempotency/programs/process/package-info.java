/** Runs this program's classes as processes, keeps them running, and repeats work. */
@NullMarked
package io.counterpoint.idempotency.programs.process;

import org.jspecify.annotations.NullMarked;
