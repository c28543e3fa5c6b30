/** Helpers for this project's own modules. Exported only to these, and subject to change without notice. */
@NullMarked
package io.counterpoint.idempotency.internal;

import org.jspecify.annotations.NullMarked;
