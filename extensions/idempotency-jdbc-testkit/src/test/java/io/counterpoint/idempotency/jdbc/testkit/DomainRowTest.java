package io.counterpoint.idempotency.jdbc.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.RecordedOperation;
import io.counterpoint.idempotency.jdbc.Isolation;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.jdbc.PlainPostgreSqlDialect;
import io.counterpoint.idempotency.spi.DomainTable;
import io.counterpoint.idempotency.spi.Session;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** On the databases that the JDBC store knows. Those of dialects are in {@link DialectContract}. */
class DomainRowTest {

    private static PlainDatabase postgreSql;

    @BeforeAll
    static void open() {
        postgreSql = PlainDatabase.open("lock_timeout=1s");
    }

    @AfterAll
    static void close() {
        postgreSql.close();
    }

    @Nested
    class OnPostgreSql extends DomainRowContract {
        OnPostgreSql() {
            super(() -> Jdbi.create(postgreSql.pool()), () -> JdbiIdempotencyStore.on(postgreSql.pool()));
        }

        /** Else the commit that follows would not wait for a standby. */
        @Test
        void lockOfARowIsWrittenToTheLog() {
            JdbiIdempotencyStore store = JdbiIdempotencyStore.on(postgreSql.pool());
            IdempotencyKey key = new IdempotencyKey("user:1", "create-chat", "k");
            Jdbi.create(postgreSql.pool())
                    .useHandle(handle -> handle.execute("INSERT INTO chat (id, key_id) VALUES ('a', ?)", key.hash()));
            try (Session<Handle> session =
                    store.recordedIn("chat", "key_id").inserting(Map.of()).open(key)) {
                Optional<String> number = session.inTransaction((steps, scope) -> {
                    assertThat(steps.lock(key, Duration.ofSeconds(1))).isPresent();
                    assertThat(steps.confirm(key, DomainTable.TOKEN)).isTrue();
                    return scope.handle()
                            .createQuery("SELECT pg_current_xact_id_if_assigned()::text")
                            .mapTo(String.class)
                            .findOne();
                });
                assertThat(number).isPresent();
            }
        }

        @ParameterizedTest
        @CsvSource(
                delimiter = ';',
                value = {
                    "CREATE UNIQUE INDEX ON odd (key_id) WHERE id > 'm'; no unique index",
                    "CREATE UNIQUE INDEX ON odd (key_id, id); no unique index",
                    "CREATE UNIQUE INDEX ON odd (lower(key_id)); no unique index",
                    "ALTER TABLE odd ADD UNIQUE (key_id) DEFERRABLE; no unique index",
                    "CREATE UNIQUE INDEX ON odd (key_id), CREATE RULE r AS ON INSERT TO odd DO INSTEAD NOTHING; rule r of odd",
                    "CREATE UNIQUE INDEX ON odd (key_id), ALTER TABLE odd SET UNLOGGED; is UNLOGGED"
                })
        void tableThatIsOddIsRefusedWithTheReason(String statements, String reason) {
            odd(statements);
            assertThatThrownBy(() -> JdbiIdempotencyStore.on(postgreSql.pool()).recordedIn("odd", "key_id"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(reason);
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "CREATE UNIQUE INDEX ON odd (key_id) WHERE key_id IS NOT NULL",
                    "CREATE UNIQUE INDEX ON odd (key_id) INCLUDE (id)",
                    "ALTER TABLE odd ALTER key_id TYPE bytea USING NULL, CREATE UNIQUE INDEX ON odd (key_id)",
                    "ALTER TABLE odd ALTER key_id TYPE uuid USING NULL, ALTER TABLE odd ADD PRIMARY KEY (key_id)"
                })
        void keyOfEachTypeIsInsertedAndFound(String statements) {
            odd(statements);
            JdbiIdempotencyStore store = JdbiIdempotencyStore.on(postgreSql.pool());
            RecordedOperation<Handle, String> operation = Idempotency.on(store)
                    .recorded("odd", store.recordedIn("odd", "key_id"), (handle, key) -> Optional.of("found"))
                    .build();
            Attempt attempt = Attempt.in("user:1").key("k").request();

            assertThat(operation.execute(attempt, Map.of("id", "a"), handle -> "made"))
                    .isInstanceOf(Outcome.Executed.class);
            assertThat(operation
                            .execute(attempt, Map.of("id", "b"), handle -> "made")
                            .orElseThrow())
                    .isEqualTo("found");
        }

        private void odd(String statements) {
            Jdbi.create(postgreSql.pool()).useHandle(handle -> {
                handle.execute("DROP TABLE IF EXISTS odd");
                handle.execute("CREATE TABLE odd (id text, key_id text)");
                for (String statement : statements.split(", (?=CREATE|ALTER)", -1)) {
                    handle.execute(statement);
                }
            });
        }

        @Test
        void roleWithoutALockTimeoutIsRefused() {
            try (PlainDatabase unbounded = PlainDatabase.open()) {
                Jdbi.create(unbounded.pool())
                        .useHandle(handle -> handle.execute("CREATE TABLE odd (id text, key_id text UNIQUE)"));
                assertThatThrownBy(
                                () -> JdbiIdempotencyStore.on(unbounded.pool()).recordedIn("odd", "key_id"))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("lock_timeout is 0");
            }
        }
    }

    /** It does not say how inserts wait. */
    @Test
    void dialectThatDoesNotSaySoIsRefused() {
        JdbiIdempotencyStore plain = JdbiIdempotencyStore.builder(postgreSql.pool())
                .dialect(PlainPostgreSqlDialect.create())
                .build();
        Jdbi.create(postgreSql.pool())
                .useHandle(handle -> handle.execute("CREATE TABLE IF NOT EXISTS plain (key_id varchar(64) UNIQUE)"));

        assertThatThrownBy(() -> plain.recordedIn("plain", "key_id"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("nobody has tried");
    }

    /** Duplicates meet serialization failures there. */
    @Nested
    class OnSerializablePostgreSql extends DomainRowContract {
        OnSerializablePostgreSql() {
            super(
                    () -> Jdbi.create(postgreSql.pool()),
                    () -> JdbiIdempotencyStore.builder(postgreSql.pool())
                            .isolation(Isolation.SERIALIZABLE)
                            .build());
        }
    }

    @Nested
    class OnH2 extends DomainRowContract {
        OnH2() {
            super(() -> Jdbi.create(source()), () -> JdbiIdempotencyStore.on(source()));
        }

        private static DataSource source() {
            JdbcDataSource source = new JdbcDataSource();
            source.setUrl("jdbc:h2:mem:rows;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=1000");
            return source;
        }
    }
}
