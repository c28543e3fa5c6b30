/** What a server gives to the example. */
@NullMarked
package io.counterpoint.idempotency.server;

import org.jspecify.annotations.NullMarked;
