/** What the modules of frameworks share. Not exported. */
@NullMarked
package io.counterpoint.idempotency.annotation.internal;

import org.jspecify.annotations.NullMarked;
