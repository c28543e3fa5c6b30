/** What the example needs when it runs in a server. */
@NullMarked
package io.counterpoint.idempotency.server;

import org.jspecify.annotations.NullMarked;
