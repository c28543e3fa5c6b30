/**
 * What the tests of this project share and nobody else should use: a real PostgreSQL that can be stopped and killed, a
 * proxy that cuts connections where a test says so, and a way to let many threads run at once.
 */
@NullMarked
package io.counterpoint.idempotency.testing;

import org.jspecify.annotations.NullMarked;
