package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Done;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.jdbc.BothDatabases.Kind;
import io.counterpoint.idempotency.spi.ForwardingStore;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.WorkScope;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A connection goes back as it came. No pool stands between, since a pool would repair what is left behind. */
@Tag("thorough")
@Timeout(60)
class SettingsOfTheConnectionTest extends OneDatabase {

    enum Protocol {
        CLAIM_FIRST,
        SINGLE_TRANSACTION;

        Operation<Handle, Done> on(JdbiIdempotencyStore store) {
            Operation.Builder<Handle, Done> builder = Idempotency.on(store).operation("settings");
            return (this == SINGLE_TRANSACTION ? builder.protocol(Operation.Protocol.SINGLE_TRANSACTION) : builder)
                    .build();
        }
    }

    private Connection connect() throws SQLException {
        Properties properties = new Properties();
        if (database.url().startsWith("jdbc:h2")) {
            properties.setProperty("user", "sa");
        }
        return DriverManager.getConnection(database.url(), properties);
    }

    private static Attempt attempt(int number) {
        return Attempt.inScope("user:1").key("key-" + number).request("request");
    }

    /** One that executes, one that replays, one that fails. */
    private static void callsOn(Operation<Handle, Done> operation) {
        assertThat(operation.execute(attempt(1), handle -> written(handle, "effect")))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(operation.execute(attempt(1), handle -> written(handle, "effect")))
                .isInstanceOf(Outcome.Replayed.class);
        assertThatThrownBy(() -> operation.execute(attempt(2), handle -> {
                    throw new IllegalArgumentException("refused");
                }))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static Done written(Handle handle, String id) {
        TestDatabase.write(handle, id);
        return Done.DONE;
    }

    @ParameterizedTest
    @CsvSource({"H2, CLAIM_FIRST", "H2, SINGLE_TRANSACTION", "POSTGRESQL, CLAIM_FIRST", "POSTGRESQL, SINGLE_TRANSACTION"
    })
    void isolationLevelGoesBackAsItCame(Kind kind, Protocol protocol) throws SQLException {
        on(kind);
        try (Connection only = connect()) {
            int before = only.getTransactionIsolation();
            List<Integer> seen = new ArrayList<>();
            Operation<Handle, Done> operation = protocol.on(database.dialect(Jdbi.create(only)).toBuilder()
                    .isolation(Isolation.SERIALIZABLE)
                    .build());
            callsOn(operation);
            Outcome<Done> unused = operation.execute(attempt(3), handle -> {
                seen.add(handle.getConnection().getTransactionIsolation());
                return written(handle, "isolated");
            });
            assertThat(seen).containsExactly(Connection.TRANSACTION_SERIALIZABLE);
            assertThat(before).isEqualTo(Connection.TRANSACTION_READ_COMMITTED);
            assertThat(only.getTransactionIsolation()).isEqualTo(before);
        }
        assertThat(database.effects()).containsExactly("effect", "isolated");
    }

    @ParameterizedTest
    @CsvSource({
        "H2, CLAIM_FIRST, true", "H2, SINGLE_TRANSACTION, true",
        "H2, CLAIM_FIRST, false", "H2, SINGLE_TRANSACTION, false",
        "POSTGRESQL, CLAIM_FIRST, true", "POSTGRESQL, SINGLE_TRANSACTION, true",
        "POSTGRESQL, CLAIM_FIRST, false", "POSTGRESQL, SINGLE_TRANSACTION, false"
    })
    void autocommitGoesBackAsItCame(Kind kind, Protocol protocol, boolean mode) throws SQLException {
        on(kind);
        try (Connection only = connect()) {
            only.setAutoCommit(mode);
            callsOn(protocol.on(database.dialect(Jdbi.create(only))));
            assertThat(only.getAutoCommit()).isEqualTo(mode);
        }
    }

    @ParameterizedTest
    @EnumSource
    void lockTimeoutOfH2GoesBackAsItCame(Protocol protocol) throws SQLException {
        try (Connection only = connect()) {
            try (Statement statement = only.createStatement()) {
                statement.execute("SET LOCK_TIMEOUT 4321");
            }
            List<Integer> seen = new ArrayList<>();
            Operation<Handle, Done> operation = protocol.on(database.dialect(Jdbi.create(only)));
            callsOn(operation);
            Outcome<Done> unused = operation.execute(attempt(3), handle -> {
                seen.add(lockTimeout(handle.getConnection()));
                return Done.DONE;
            });
            assertThat(seen).as("within the work").containsExactly(4321);
            assertThat(lockTimeout(only)).isEqualTo(4321);
        }
    }

    private static int lockTimeout(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT LOCK_TIMEOUT()")) {
            rows.next();
            return rows.getInt(1);
        }
    }

    // ---- after the commit ------------------------------------------------------------------------------------------

    /** Counts what is really opened. */
    private HikariDataSource poolOfOne(AtomicInteger opened) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(new PGSimpleDataSource() {
            @Override
            public Connection getConnection() throws SQLException {
                opened.incrementAndGet();
                return connect();
            }
        });
        config.setMaximumPoolSize(1);
        return new HikariDataSource(config);
    }

    @ParameterizedTest
    @EnumSource
    void thousandCallsThatReadAfterTheCommitOpenOneConnection(Kind kind) {
        on(kind);
        AtomicInteger opened = new AtomicInteger();
        AtomicInteger read = new AtomicInteger();
        try (HikariDataSource pool = poolOfOne(opened)) {
            Operation<Handle, Done> operation = Protocol.CLAIM_FIRST.on(database.dialect(Jdbi.create(pool)));
            for (int number = 0; number < 1_000; number++) {
                String effect = "effect-" + number;
                assertThat(operation.execute(attempt(number), handle -> {
                            handle.afterCommit(() -> read.addAndGet(TestDatabase.isThere(handle, effect) ? 1 : 0));
                            return written(handle, effect);
                        }))
                        .isInstanceOf(Outcome.Executed.class);
            }
        }
        assertThat(read).hasValue(1_000);
        assertThat(opened).hasValue(1);
    }

    /** JDBC commits what is open when autocommit is turned on. */
    @ParameterizedTest
    @EnumSource
    void whatIsWrittenAfterTheCommitIsRolledBack(Kind kind) {
        on(kind);
        AtomicInteger opened = new AtomicInteger();
        try (HikariDataSource pool = poolOfOne(opened)) {
            int number = 0;
            for (Protocol protocol : Protocol.values()) {
                assertThat(protocol.on(database.dialect(Jdbi.create(pool))).execute(attempt(number++), handle -> {
                            handle.afterCommit(() -> TestDatabase.write(handle, "late"));
                            return written(handle, "effect");
                        }))
                        .isInstanceOf(Outcome.Executed.class);
            }
        }
        assertThat(database.effects()).containsExactly("effect", "effect");
        assertThat(opened).hasValue(1);
    }

    @ParameterizedTest
    @EnumSource
    void frameworkThatWritesAfterTheEndIsRolledBackAndNotAborted(Kind kind) {
        on(kind);
        AtomicInteger opened = new AtomicInteger();
        try (HikariDataSource pool = poolOfOne(opened)) {
            IdempotencyStore<Handle> store = new LateFramework(database.dialect(Jdbi.create(pool)));
            Operation<Handle, Done> operation =
                    Idempotency.on(store).operation("operation").build();
            assertThat(operation.execute(attempt(1), handle -> written(handle, "effect")))
                    .isInstanceOf(Outcome.Executed.class);
            assertThatThrownBy(() -> operation.execute(attempt(2), handle -> {
                        written(handle, "undone");
                        throw new IllegalArgumentException("refused");
                    }))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(database.effects()).containsExactly("effect");
        assertThat(opened).hasValue(1);
    }

    /** Begins something at the end of each transaction of the work. */
    private static final class LateFramework extends ForwardingStore<Handle> {

        LateFramework(IdempotencyStore<Handle> store) {
            super(store);
        }

        @Override
        protected Session<Handle> decorate(Session<Handle> real) {
            return new ForwardingSession<>(real) {
                @Override
                public <T> T inTransaction(
                        BiFunction<? super RecordSteps, ? super WorkScope<Handle>, ? extends T> body) {
                    return session.inTransaction((steps, scope) -> body.apply(steps, new LateScope(scope)));
                }
            };
        }
    }

    private static final class LateScope extends ForwardingStore.ForwardingScope<Handle> {
        LateScope(WorkScope<Handle> scope) {
            super(scope);
        }

        @Override
        public void afterEnd(End end) {
            TestDatabase.write(scope.handle(), "late");
        }
    }

    @Test
    void writesAfterTheCommitAreRolledBackUnderAnH2IsolationLevel() throws SQLException {
        try (Connection only = connect()) {
            JdbiIdempotencyStore store = database.dialect(Jdbi.create(only)).toBuilder()
                    .isolation(Isolation.SERIALIZABLE)
                    .build();
            assertThat(Protocol.CLAIM_FIRST.on(store).execute(attempt(1), handle -> {
                        handle.afterCommit(() -> TestDatabase.write(handle, "late"));
                        return written(handle, "effect");
                    }))
                    .isInstanceOf(Outcome.Executed.class);
        }
        assertThat(database.effects()).containsExactly("effect");
    }
}
