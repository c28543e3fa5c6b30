/**
 * What to copy: the creation of a group once per key, and the news of it to its members. Wired:
 *
 * <pre>{@code
 * HikariConfig config = new HikariConfig();
 * config.setJdbcUrl("jdbc:postgresql://localhost/chat");
 * config.setConnectionTimeout(5_000);
 * Jdbi jdbi = Jdbi.create(new HikariDataSource(config));
 *
 * JdbiIdempotencyStore store = JdbiIdempotencyStore.on(jdbi).checkTable();
 * Groups groups = new Groups();
 * CreateGroup createGroup = new CreateGroup(Idempotency.on(store), groups);
 * SessionHub hub = new SessionHub();
 * OutboxPublisher publisher = hub.publisher(store, groups).build().start();
 * }</pre>
 *
 * If groups are in another database than the records, {@link ExternalCreateGroup} takes the place of
 * {@link CreateGroup}.
 */
@NullMarked
package io.counterpoint.idempotency.examples.groupcreation;

import org.jspecify.annotations.NullMarked;
