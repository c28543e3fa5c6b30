/**
 * What to copy: the creation of a group once per key, and the news of it to its members. Wired:
 *
 * <pre>{@code
 * JdbiIdempotencyStore store = JdbiIdempotencyStore.on(jdbi);
 * Groups groups = new Groups();
 * CreateGroup createGroup = new CreateGroup(Idempotency.on(store), groups);
 * SessionHub hub = new SessionHub();
 * OutboxPublisher publisher = hub.publisher(store, groups).build().start();
 * }</pre>
 */
@NullMarked
package io.counterpoint.idempotency.examples.groupcreation;

import org.jspecify.annotations.NullMarked;
