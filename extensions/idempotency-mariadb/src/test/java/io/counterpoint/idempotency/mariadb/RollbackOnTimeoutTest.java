package io.counterpoint.idempotency.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Batch;
import io.counterpoint.idempotency.BatchResult;
import io.counterpoint.idempotency.Done;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.Isolation;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.jdbc.spi.ClaimOptions;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.InsertResult;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.testing.MariaDbServer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A server with {@code innodb_rollback_on_timeout}: a lock timeout ends the whole transaction, and the next statement silently
 * begins another.
 */
@Tag("thorough")
@Timeout(120)
class RollbackOnTimeoutTest {

    private static final Dialect DIALECT = TestPool.dialect();
    private static @Nullable MariaDbServer server;

    private Jdbi jdbi;
    private PoolWithRival pool;
    private JdbiIdempotencyStore checked;

    @BeforeAll
    static void start() {
        server = MariaDbServer.isExternal() ? null : MariaDbServer.start("--innodb-rollback-on-timeout=ON");
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    @BeforeEach
    void open() throws SQLException {
        if (server != null) {
            pool = new PoolWithRival(server.createDatabase());
            jdbi = Jdbi.create(pool);
            String database = jdbi.withHandle(handle -> handle.getConnection().getCatalog());
            checked = store(DIALECT).toBuilder()
                    .table(database + ".idempotency_record")
                    .build()
                    .createTableIfMissing();
            jdbi.useHandle(handle -> handle.execute("CREATE TABLE effect (id varchar(100) NOT NULL)"));
        }
    }

    @AfterEach
    void close() {
        if (pool != null) {
            pool.close();
        }
    }

    private JdbiIdempotencyStore store(Dialect dialect) {
        return JdbiIdempotencyStore.builder(jdbi).dialect(dialect).build();
    }

    private static <R> Operation<Handle, R> operation(JdbiIdempotencyStore store, ResultCodec<R> codec) {
        return Idempotency.on(store)
                .operation("operation", codec)
                .waitAtMost(Duration.ofMillis(100))
                .build();
    }

    /** Executes "a", "b" and "c" together. A rival leads for "b" by the time of the claims, and works for as long. */
    private <R> List<String> executeAll(JdbiIdempotencyStore store, ResultCodec<R> codec, R result) {
        pool.leadsBefore(2, "b");
        List<String> names = List.of("a", "b", "c");
        try {
            return Batch.inOneTransaction(operation(store, codec))
                    .executeAll(
                            names.stream().map(RollbackOnTimeoutTest::attempt).toList(), (handle, leading) -> {
                                leading.forEach(one -> write(handle, names.get(one.index())));
                                return Collections.nCopies(leading.size(), result);
                            })
                    .stream()
                    .map(RollbackOnTimeoutTest::kind)
                    .toList();
        } finally {
            pool.endRival();
        }
    }

    private static String kind(BatchResult<?> answer) {
        return answer.fold(
                outcome -> outcome.getClass().getSimpleName(),
                thrown -> thrown.getClass().getSimpleName());
    }

    private static Attempt attempt(String name) {
        return Attempt.inScope("user:1").key(name).request("request");
    }

    private static void write(Handle handle, String name) {
        handle.execute("INSERT INTO effect VALUES (?)", name);
    }

    private List<String> effects() {
        return strings("SELECT id FROM effect ORDER BY id");
    }

    private List<String> succeeded() {
        return strings("SELECT key_value FROM idempotency_record WHERE state = 'S' ORDER BY key_value");
    }

    private List<String> strings(String sql) {
        return jdbi.withHandle(
                handle -> handle.createQuery(sql).mapTo(String.class).list());
    }

    @Test
    void whatABatchWithoutResultsToldAsExecutedHasARecord() {
        if (server != null) {
            assertThat(executeAll(store(DIALECT), ResultCodec.done(), Done.DONE))
                    .containsExactly("Executed", "InProgress", "Executed");
            assertThat(succeeded()).containsExactly("a", "c");
            assertThat(effects()).containsExactly("a", "c");
        }
    }

    @Test
    void workOfABatchIsNotAccusedOfTheEndOfATransactionThatItDidNotEnd() {
        if (server != null) {
            assertThat(executeAll(store(DIALECT), ResultCodec.string(), "result"))
                    .containsExactly("Executed", "InProgress", "Executed");
            assertThat(succeeded()).containsExactly("a", "c");
            assertThat(effects()).containsExactly("a", "c");
        }
    }

    /** A permanent mutant: what the mends above prevent comes back with it. */
    @Test
    void dialectThatSetsTheSavepointAnewTellsExecutedWithoutARecord() {
        if (server != null) {
            assertThat(executeAll(store(settingTheSavepointAnew()), ResultCodec.done(), Done.DONE))
                    .containsExactly("Executed", "InProgress", "Executed");
            assertThat(succeeded()).containsExactly("c");
            assertThat(effects()).containsExactly("a", "c");
        }
    }

    /** Each of its claims takes itself for the first of its transaction. */
    private static Dialect settingTheSavepointAnew() {
        return (Dialect) Proxy.newProxyInstance(
                Dialect.class.getClassLoader(), new Class<?>[] {Dialect.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("insertAll")) {
                        return insertAllAnew(
                                (Connection) arguments[0], (List<?>) arguments[1], (ClaimOptions) arguments[2]);
                    }
                    method.setAccessible(true);
                    try {
                        return method.invoke(DIALECT, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }

    private static Map<IdempotencyKey, InsertResult> insertAllAnew(
            Connection connection, List<?> records, ClaimOptions options) throws SQLException {
        Map<IdempotencyKey, InsertResult> inserted = new HashMap<>();
        for (Object record : records) {
            IdempotencyRecord each = (IdempotencyRecord) record;
            inserted.put(each.key(), DIALECT.insert(connection, each, options));
        }
        return inserted;
    }

    /** The work goes on in another transaction, which nobody may take for its own. */
    @ParameterizedTest
    @ValueSource(strings = {"claim-first", "claim-first-planned", "single", "single-planned", "record-last"})
    void workThatSwallowsALockTimeoutIsNeverToldAsDone(String protocol) throws SQLException {
        if (server == null) {
            return;
        }
        jdbi.useHandle(handle -> handle.execute("CREATE TABLE held (id int NOT NULL PRIMARY KEY)"));
        jdbi.useHandle(handle -> handle.execute("INSERT INTO held VALUES (1)"));
        try (Connection holder = pool.getConnection()) {
            holder.setAutoCommit(false);
            LockBound.execute(holder, "DELETE FROM held");
            assertThatThrownBy(() -> call(protocol, handle -> {
                        write(handle, "before");
                        handle.execute("SET SESSION innodb_lock_wait_timeout = 1");
                        assertThatThrownBy(() -> handle.execute("DELETE FROM held"))
                                .isInstanceOf(RuntimeException.class);
                        write(handle, "after");
                    }))
                    .isInstanceOf(OutcomeUnknownException.class);
            holder.rollback();
            holder.setAutoCommit(true);
        }
        assertThat(effects()).isEmpty();
        assertThat(succeeded()).isEmpty();
    }

    private Outcome<String> call(String protocol, Consumer<Handle> work) {
        Operation.Builder<Handle, String> builder =
                Idempotency.on(checked).operation("operation", ResultCodec.string());
        switch (protocol) {
            case "single", "single-planned" -> builder.protocol(Operation.Protocol.SINGLE_TRANSACTION);
            case "record-last" -> builder.protocol(Operation.Protocol.RECORD_LAST);
            default -> {}
        }
        return protocol.endsWith("planned")
                ? builder.planned()
                        .build()
                        .execute(attempt("key"), () -> "result", (handle, plan) -> work.accept(handle))
                : builder.build().execute(attempt("key"), handle -> {
                    work.accept(handle);
                    return "result";
                });
    }

    /** The level is that of the next transaction only. */
    @Test
    void workRunsAtItsLevelAfterALockTimeoutOfTheFirstClaim() {
        if (server == null) {
            return;
        }
        JdbiIdempotencyStore store =
                store(DIALECT).toBuilder().isolation(Isolation.READ_COMMITTED).build();
        TreeSet<String> levels = new TreeSet<>();
        pool.leadsBefore(2, "a");
        try {
            List<BatchResult<String>> answers = Batch.inOneTransaction(operation(store, ResultCodec.string()))
                    .executeAll(
                            Stream.of("a", "b", "c")
                                    .map(RollbackOnTimeoutTest::attempt)
                                    .toList(),
                            (handle, leading) -> {
                                levels.add(handle.createQuery(
                                                "SELECT trx_isolation_level FROM information_schema.innodb_trx WHERE"
                                                        + " trx_mysql_thread_id = CONNECTION_ID()")
                                        .mapTo(String.class)
                                        .one());
                                return Collections.nCopies(leading.size(), "result");
                            });
            assertThat(answers.stream().map(RollbackOnTimeoutTest::kind))
                    .containsExactly("InProgress", "Executed", "Executed");
        } finally {
            pool.endRival();
        }
        assertThat(levels).containsExactly("READ COMMITTED");
    }

    /** Connections, before one of which a rival claims a key, commits that, and holds the record in a transaction. */
    private static final class PoolWithRival extends HikariDataSource {

        private int until = -1;
        private String key = "";
        private @Nullable Connection rival;

        PoolWithRival(String url) {
            super(config(url));
        }

        private static HikariConfig config(String url) {
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(url);
            config.setMinimumIdle(1);
            return config;
        }

        void leadsBefore(int connection, String value) {
            until = connection;
            key = value;
        }

        @Override
        public Connection getConnection() throws SQLException {
            if (--until == 0) {
                lead();
            }
            return super.getConnection();
        }

        private void lead() throws SQLException {
            Pending pending = new Pending(
                    IdempotencyKey.inScope("user:1").operation("operation").value(key),
                    Protocol.CLAIM_FIRST,
                    UUID.randomUUID(),
                    Fingerprint.ofParts("request"),
                    Optional.empty(),
                    Duration.ZERO);
            Connection leader = super.getConnection();
            assertThat(DIALECT.insert(
                                    leader,
                                    pending,
                                    new ClaimOptions(Duration.ofDays(1), Duration.ofSeconds(1), true, false))
                            .inserted())
                    .isTrue();
            leader.setAutoCommit(false);
            assertThat(DIALECT.lock(leader, pending.key(), Duration.ZERO, Optional.empty()))
                    .isPresent();
            rival = leader;
        }

        void endRival() {
            try {
                if (rival != null) {
                    rival.rollback();
                    rival.setAutoCommit(true);
                    rival.close();
                }
            } catch (SQLException thrown) {
                throw new IllegalStateException(thrown);
            }
        }
    }
}
