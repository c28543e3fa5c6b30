/** Code shared by the framework modules. Not exported. */
@NullMarked
package io.counterpoint.idempotency.annotation.internal;

import org.jspecify.annotations.NullMarked;
