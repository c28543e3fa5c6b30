/** One use case over this library and over others, under the same faults. */
@NullMarked
package io.counterpoint.idempotency.peers;

import org.jspecify.annotations.NullMarked;
