/** What every store must do, as tests; and a clock that stands until a test moves it. */
@NullMarked
package io.counterpoint.idempotency.testkit;

import org.jspecify.annotations.NullMarked;
