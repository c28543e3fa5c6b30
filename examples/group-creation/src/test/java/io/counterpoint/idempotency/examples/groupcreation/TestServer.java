package io.counterpoint.idempotency.examples.groupcreation;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.consistency.outbox.OutboxPublisher;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/** The files to copy, wired on an empty database. */
final class TestServer {

    enum On {
        H2,
        POSTGRESQL
    }

    static final CreateGroupRequest CHESS = new CreateGroupRequest("ann", "k1", "Chess", List.of("bob", "cid"));

    final Jdbi jdbi;
    final Groups groups;
    final CreateGroup createGroup;
    final OutboxPublisher publisher;

    private TestServer(On database, Groups groups, SessionHub hub) {
        this.groups = groups;
        jdbi = Jdbi.create(
                database == On.H2
                        ? "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1"
                        : PostgresServer.shared().createDatabase());
        jdbi.useHandle(handle -> {
            handle.createScript(schema()).execute();
            groups.outbox().createTableIfMissing(handle);
        });
        JdbiIdempotencyStore store = JdbiIdempotencyStore.on(jdbi);
        createGroup = new CreateGroup(Idempotency.on(store.createTableIfMissing()), groups);
        publisher = hub.publisher(store, groups)
                .retryAfter(Duration.ofMillis(1), Duration.ofMillis(1))
                .build();
    }

    static TestServer on(On database, Groups groups) {
        return new TestServer(database, groups, new SessionHub());
    }

    static TestServer on(On database, SessionHub hub) {
        return new TestServer(database, new Groups(), hub);
    }

    /** Returns the number of rows in a table. */
    int count(String table) {
        return jdbi.withHandle(handle -> handle.createQuery("select count(*) from " + table)
                .mapTo(int.class)
                .one());
    }

    /** Publishes until no event is waiting. */
    void publishAll() {
        while (jdbi.withHandle(handle -> groups.outbox().status(handle, Groups.CREATED))
                        .waiting()
                > 0) {
            publisher.publishAll();
        }
    }

    private static String schema() {
        try (InputStream in = Groups.class.getResourceAsStream("schema.sql")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
