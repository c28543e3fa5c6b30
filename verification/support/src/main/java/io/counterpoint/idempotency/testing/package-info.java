/**
 * The fixtures that the tests of this project share, and no other project should use. They are a real PostgreSQL that
 * can be stopped and killed, a proxy that cuts connections on order, and a race of many threads.
 */
@NullMarked
package io.counterpoint.idempotency.testing;

import org.jspecify.annotations.NullMarked;
