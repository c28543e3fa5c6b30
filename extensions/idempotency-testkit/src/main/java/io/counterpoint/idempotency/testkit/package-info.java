/** The contract of stores as tests, and a clock that stands still until a test advances it. */
@NullMarked
package io.counterpoint.idempotency.testkit;

import org.jspecify.annotations.NullMarked;
