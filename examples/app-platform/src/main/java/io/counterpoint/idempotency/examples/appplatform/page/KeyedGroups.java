package io.counterpoint.idempotency.examples.appplatform.page;

import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyListener;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.examples.groupcreation.CreateGroup;
import io.counterpoint.idempotency.examples.groupcreation.CreateGroupRequest;
import io.counterpoint.idempotency.examples.groupcreation.GroupCreated;
import io.counterpoint.idempotency.examples.groupcreation.Groups;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.DatabaseAddress;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * The use case whose key the page follows: a group of the example group-creation. Its claim is committed before its work,
 * so the record shows a leader at work.
 */
record KeyedGroups(HikariDataSource pool, Idempotency<Handle> idempotency, Groups groups) implements AutoCloseable {

    /** An attempt whose record is older, and not locked, counts as abandoned. Short, since people wait for it. */
    static final Duration GRACE = Duration.ofSeconds(2);

    private static final int CONNECTIONS = 8;

    static KeyedGroups on(DatabaseAddress address, Groups groups, IdempotencyListener listener) throws CannotRun {
        HikariDataSource pool = address.connect(config -> {
            config.setMaximumPoolSize(CONNECTIONS);
            config.setMinimumIdle(0);
        });
        JdbiIdempotencyStore store = JdbiIdempotencyStore.on(Jdbi.create(pool));
        return new KeyedGroups(
                pool, Idempotency.builder(store).listener(listener).build(), groups);
    }

    static void createTables(Jdbi jdbi) {
        try (InputStream in = Objects.requireNonNull(Groups.class.getResourceAsStream("schema.sql"))) {
            String script = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            jdbi.useHandle(handle -> handle.createScript(script).execute());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What a client sends for a key, always the same. */
    static CreateGroupRequest request(String key) {
        return new CreateGroupRequest("ada", key, "Friends of " + key, List.of("ben", "cleo"));
    }

    /** Creates the group once. A call that finds a leader waits so long at most, and not at all for zero. */
    Outcome<GroupCreated> create(String key, boolean takesOver, Duration wait) throws Groups.Refused {
        Operation.Builder<Handle, GroupCreated> settings = CreateGroup.operation(idempotency, groups);
        if (!wait.isZero()) {
            settings = settings.waitAtMost(wait);
        }
        Operation<Handle, GroupCreated> operation = (takesOver
                        ? settings.whenAbandoned(Operation.Abandoned.TAKE_OVER, GRACE)
                        : settings.whenAbandoned(Operation.Abandoned.FAIL, GRACE))
                .build();
        return new CreateGroup(operation, groups).execute(request(key));
    }

    @Override
    public void close() {
        pool.close();
    }
}
