/** One use case with this library and with others, under the same faults. */
@NullMarked
package io.counterpoint.idempotency.peers;

import org.jspecify.annotations.NullMarked;
