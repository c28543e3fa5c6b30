/** Helpers of this project's own modules. Exported to these alone, and changed without notice. */
@NullMarked
package io.counterpoint.idempotency.internal;

import org.jspecify.annotations.NullMarked;
