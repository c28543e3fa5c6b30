package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.testing.Gateway;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What runs through a gateway really does, and meets what a gateway does to it. */
@Tag("gateway")
class GatewayTest {

    private static final int CLIENTS = 60;

    @Test
    void clientsShareTheConnectionsOfTheServer() {
        Set<Integer> backends = new HashSet<>();
        List<Handle> clients = new ArrayList<>();
        try (TestDatabase database = TestDatabase.postgresql()) {
            for (int i = 0; i < CLIENTS; i++) {
                Handle client = database.jdbi().open();
                clients.add(client);
                backends.add(client.createQuery("SELECT pg_backend_pid()")
                        .mapTo(Integer.class)
                        .one());
            }

            assertThat(backends).as(Gateway.shared().toString()).hasSizeLessThan(CLIENTS / 2);

            clients.forEach(Handle::close);
        }
    }
}
