/** A store that spans several databases, each of which contains the keys of some scopes. */
@NullMarked
package io.counterpoint.idempotency.sharding;

import org.jspecify.annotations.NullMarked;
