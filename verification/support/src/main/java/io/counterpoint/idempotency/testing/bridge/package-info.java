/** Runs old and new nodes of one service side by side, while its old key table is replaced. */
@NullMarked
package io.counterpoint.idempotency.testing.bridge;

import org.jspecify.annotations.NullMarked;
