package io.counterpoint.idempotency.jdbc.quickstart;

import io.counterpoint.idempotency.*;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import java.util.UUID;

public class Quickstart {
    public static void main(String[] args) {
        var jdbi = org.jdbi.v3.core.Jdbi.create("jdbc:h2:mem:quickstart;DB_CLOSE_DELAY=-1");
        jdbi.useHandle(handle -> handle.execute("CREATE TABLE chat_group (id uuid PRIMARY KEY, name varchar(100))"));
        var idempotency = Idempotency.on(JdbiIdempotencyStore.on(jdbi).createTableIfMissing());
        var codec = ResultCodec.text(UUID::toString, UUID::fromString);
        var createGroup = idempotency.operation("create-group", codec).build();
        var attempt = Attempt.in("user:42").key("key-from-the-client").request("Friends");
        for (int tries = 1; tries <= 3; tries++) {
            Outcome<UUID> outcome = createGroup.executePlanned(
                    attempt,
                    UUID::randomUUID,
                    (handle, id) -> handle.execute("INSERT INTO chat_group VALUES (?, ?)", id, "Friends"));
            System.out.println(outcome + " -> " + outcome.orElseThrow());
        }
    }
}
