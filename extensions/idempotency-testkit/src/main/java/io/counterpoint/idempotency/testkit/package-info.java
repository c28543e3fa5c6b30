/** What every store must do, as tests; and a store that fails on demand, and a clock that does. */
@NullMarked
package io.counterpoint.idempotency.testkit;

import org.jspecify.annotations.NullMarked;
