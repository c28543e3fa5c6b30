/**
 * The fixtures that the tests of this project share; no other project should use them. They include real database
 * servers that can be stopped and killed, proxies that cut connections on demand, and a race of many threads.
 */
@NullMarked
package io.counterpoint.idempotency.testing;

import org.jspecify.annotations.NullMarked;
