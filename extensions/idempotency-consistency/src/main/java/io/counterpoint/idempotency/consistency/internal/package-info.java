/** What the parts share. Not exported. */
@NullMarked
package io.counterpoint.idempotency.consistency.internal;

import org.jspecify.annotations.NullMarked;
