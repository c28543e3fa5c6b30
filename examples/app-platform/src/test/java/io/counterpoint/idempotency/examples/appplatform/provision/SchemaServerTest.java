package io.counterpoint.idempotency.examples.appplatform.provision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.testing.PostgresServer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** On PostgreSQL, with its roles and privileges. */
class SchemaServerTest {

    private final UUID app = UUID.randomUUID();
    private final UUID other = UUID.randomUUID();
    private String url;
    private Jdbi jdbi;
    private SchemaServer server;

    @BeforeEach
    void open() {
        url = PostgresServer.shared().createDatabase();
        jdbi = Jdbi.create(url);
        server = new SchemaServer(jdbi);
    }

    @AfterEach
    void dropRoles() {
        for (UUID one : new UUID[] {app, other}) {
            String name = SchemaServer.name(one);
            jdbi.useHandle(handle -> {
                handle.execute("DROP SCHEMA IF EXISTS \"" + name + "\" CASCADE");
                handle.execute("DROP ROLE IF EXISTS \"" + name + "\"");
            });
        }
        PostgresServer.shared().giveBack(url);
    }

    @Test
    void everyStepMayBeRepeated() {
        for (int times = 0; times < 2; times++) {
            server.createSchema(app);
            assertThat(server.hasSchema(app)).isTrue();
        }
        assertThat(server.hasTables(app)).isFalse();
        for (int times = 0; times < 2; times++) {
            server.createTables(app);
            assertThat(server.hasTables(app)).isTrue();
        }
        assertThat(server.hasSchema(other)).isFalse();
    }

    /** As where a slow owner and the one who took over from it ask at the same time. */
    @Test
    void stepsThatAreAskedForAtOnceSucceedTogether() throws Exception {
        int callers = 8;
        CyclicBarrier together = new CyclicBarrier(callers);
        ExecutorService threads = Executors.newFixedThreadPool(callers);
        try {
            List<Future<?>> asked = new ArrayList<>();
            for (int i = 0; i < callers; i++) {
                asked.add(threads.submit(() -> {
                    together.await();
                    server.createTables(app);
                    return null;
                }));
            }
            for (Future<?> one : asked) {
                assertThat(one.get()).isNull();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(server.hasTables(app)).isTrue();
    }

    @Test
    void conditionOfTheCheckIsTrueWithoutAllTables() {
        jdbi.useHandle(handle -> handle.execute("CREATE TABLE app (id uuid PRIMARY KEY)"));
        for (UUID one : List.of(app, other)) {
            jdbi.useHandle(handle -> handle.execute("INSERT INTO app VALUES (?)", one));
            server.createTables(one);
        }
        assertThat(missing()).isEmpty();
        jdbi.useHandle(handle -> handle.execute("DROP TABLE \"" + SchemaServer.name(other) + "\".item"));
        assertThat(missing()).containsExactly(other);
        jdbi.useHandle(handle -> handle.execute("DROP SCHEMA \"" + SchemaServer.name(app) + "\" CASCADE"));
        assertThat(missing()).containsExactlyInAnyOrder(app, other);
    }

    private List<UUID> missing() {
        return jdbi.withHandle(handle -> handle.createQuery("SELECT id FROM app WHERE " + SchemaServer.missing())
                .mapTo(UUID.class)
                .list());
    }

    @Test
    void roleWritesItsOwnTablesAndNoOthers() {
        server.createTables(app);
        server.createTables(other);
        jdbi.useHandle(handle -> {
            handle.execute("SET ROLE \"" + SchemaServer.name(app) + "\"");
            assertThat(handle.execute(insert(app))).isEqualTo(1);
            assertThatThrownBy(() -> handle.execute(insert(other))).hasMessageContaining("permission denied");
            handle.execute("RESET ROLE");
        });
    }

    private static String insert(UUID whose) {
        return "INSERT INTO \"" + SchemaServer.name(whose) + "\".item VALUES ('" + UUID.randomUUID() + "', 'x')";
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "app", "public", "app_x\"; DROP SCHEMA public; --", "APP_00000000000000000000000000000000"})
    void nameThatIsNoIdentifierIsRefused(String name) {
        assertThatThrownBy(() -> SchemaServer.valid(name)).isInstanceOf(IllegalArgumentException.class);
    }
}
