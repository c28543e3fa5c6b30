/** The contract of stores as tests, and a clock that advances only when a test moves it. */
@NullMarked
package io.counterpoint.idempotency.testkit;

import org.jspecify.annotations.NullMarked;
