/**
 * The files to copy: they create a group once per key and notify its members. The wiring:
 *
 * <pre>{@code
 * HikariConfig config = new HikariConfig();
 * config.setJdbcUrl("jdbc:postgresql://localhost/chat?socketTimeout=60");
 * config.setMaximumPoolSize(10);
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
 * If groups and records are in different databases, use {@link ExternalCreateGroup} instead of {@link CreateGroup}.
 */
@NullMarked
package io.counterpoint.idempotency.examples.groupcreation;

import org.jspecify.annotations.NullMarked;
