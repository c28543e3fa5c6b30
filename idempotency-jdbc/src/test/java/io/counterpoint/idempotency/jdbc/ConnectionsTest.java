package io.counterpoint.idempotency.jdbc;

import static io.counterpoint.idempotency.jdbc.DomainContract.thrownBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Done;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.jdbc.BothDatabases.Kind;
import io.counterpoint.idempotency.jdbc.h2.H2Dialect;
import io.counterpoint.idempotency.jdbc.session.Connections;
import io.counterpoint.idempotency.jdbc.session.LentConnection;
import io.counterpoint.idempotency.jdbc.session.PlainConnections;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.Session;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Stores made from a data source: connections come bare, and handles are made where the work asks for them. */
@Timeout(60)
class ConnectionsTest extends OneDatabase {

    private static final Attempt ATTEMPT =
            Attempt.inScope("user:1").key("key-1").request("request");

    private JdbiIdempotencyStore store(Kind kind) {
        on(kind);
        return database.storeOnPool();
    }

    private JdbcIdempotencyStore plain(Kind kind) {
        on(kind);
        return database.plain(database.pool()).build();
    }

    private static <C> Operation<C, Done> operation(IdempotencyStore<C> store) {
        return Idempotency.on(store).operation("operation").build();
    }

    @ParameterizedTest
    @EnumSource
    void plainConnectionCannotEndItsTransactionAndReturnsToThePool(Kind kind) throws SQLException {
        List<Throwable> refusals = new ArrayList<>();
        Outcome<Done> outcome = operation(plain(kind)).execute(ATTEMPT, connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute("INSERT INTO effect (id) VALUES ('effect')");
            }
            refusals.add(thrownBy(connection::commit));
            refusals.add(thrownBy(connection::rollback));
            refusals.add(thrownBy(connection::close));
            refusals.add(thrownBy(() -> connection.setAutoCommit(true)));
            return Done.DONE;
        });
        assertThat(refusals)
                .hasSize(4)
                .allSatisfy(refusal -> assertThat(refusal)
                        .hasMessageContaining("this transaction belongs to an idempotent operation"));
        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        assertThat(database.effects()).containsExactly("effect");
        assertThat(connectionsInUse()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void handleMadeForTheWorkHearsOfTheCommit(Kind kind) {
        List<String> heard = new ArrayList<>();
        assertThat(operation(store(kind)).execute(ATTEMPT, handle -> hears(handle, heard)))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(heard).containsExactly("commit");
        assertThat(connectionsInUse()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void handleMadeForTheWorkHearsOfTheRollBack(Kind kind) {
        List<String> heard = new ArrayList<>();
        IllegalArgumentException refused = new IllegalArgumentException("refused");
        assertThatThrownBy(() -> operation(store(kind)).execute(ATTEMPT, handle -> {
                    hears(handle, heard);
                    throw refused;
                }))
                .isSameAs(refused);
        assertThat(heard).containsExactly("rollback");
        assertThat(connectionsInUse()).isZero();
    }

    private static Done hears(Handle handle, List<String> heard) {
        handle.afterCommit(() -> heard.add("commit"));
        handle.afterRollback(() -> heard.add("rollback"));
        return Done.DONE;
    }

    @ParameterizedTest
    @EnumSource
    void workThatClosesItsHandleFailsAndItsConnectionGoesBack(Kind kind) {
        assertThatThrownBy(() -> operation(store(kind)).execute(ATTEMPT, handle -> {
                    TestDatabase.write(handle, "effect");
                    handle.close();
                    return Done.DONE;
                }))
                .rootCause()
                .hasMessageContaining("Refused to close");
        assertThat(database.effects()).isEmpty();
        assertThat(connectionsInUse()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void workGetsTheSameHandleEachTimeItAsks(Kind kind) {
        try (Session<Handle> session = store(kind).open(TestDatabase.KEY)) {
            session.inTransaction((transaction, scope) -> {
                Handle first = scope.handle();
                assertThat(scope.handle()).isSameAs(first);
                return first;
            });
        }
    }

    /** It would wait for a second connection, and what it commits would stay when the work is rolled back. */
    @ParameterizedTest
    @EnumSource
    void workCannotCallAnotherStoreOfItsDataSource(Kind kind) {
        Operation<Connection, Done> operation = operation(plain(kind));
        JdbiIdempotencyStore other = database.storeOnPool();
        assertThatThrownBy(() -> operation.execute(ATTEMPT, connection -> {
                    other.open(TestDatabase.KEY).close();
                    return Done.DONE;
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Called inside the work of an operation");
        other.open(TestDatabase.KEY).close();
        assertThat(connectionsInUse()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void callerWithoutAConnectionHasStartedNothing(Kind kind) {
        Operation<Handle, Done> operation = operation(store(kind));
        database.pool().close();
        assertThatThrownBy(() -> operation.execute(ATTEMPT, handle -> Done.DONE))
                .isInstanceOf(NotStartedException.class);
    }

    /** It is neither committed nor joined, and goes back as it came. */
    @ParameterizedTest
    @EnumSource
    void connectionInsideABegunTransactionIsRefused(Kind kind) throws SQLException {
        JdbiIdempotencyStore ordinary = store(kind);
        try (Connection running = database.pool().getConnection()) {
            running.setAutoCommit(false);
            try (Statement statement = running.createStatement()) {
                statement.execute("INSERT INTO effect (id) VALUES ('of another')");
            }
            for (JdbiIdempotencyStore store : storesThatHandOut(running)) {
                assertThatThrownBy(() -> operation(store).execute(ATTEMPT, handle -> Done.DONE))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("borrowed with a transaction already open");
                assertThatThrownBy(() -> store.read(
                                IdempotencyKey.inScope("s").operation("o").value("k")))
                        .isInstanceOf(IllegalStateException.class);
                assertThatThrownBy(() -> store.purgeExpired(1)).isInstanceOf(IllegalStateException.class);
                assertThatThrownBy(store::createTableIfMissing).isInstanceOf(IllegalStateException.class);
            }
            assertThat(database.effects()).isEmpty();
            running.rollback();
            assertThat(operation(storesThatHandOut(running).get(0)).execute(ATTEMPT, handle -> Done.DONE))
                    .as("one without autocommit, but not begun")
                    .isInstanceOf(Outcome.Executed.class);
        }
        assertThat(database.effects()).isEmpty();
        assertThat(operation(ordinary).execute(ATTEMPT, handle -> Done.DONE)).isInstanceOf(Outcome.Replayed.class);
        assertThat(connectionsInUse()).isZero();
    }

    /** As a data source does that takes part in a framework's transactions: {@code close} is none. */
    private static List<JdbiIdempotencyStore> storesThatHandOut(Connection running) {
        Connection shared = (Connection) Proxy.newProxyInstance(
                ConnectionsTest.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    try {
                        return method.getName().equals("close") ? null : method.invoke(running, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
        DataSource source = (DataSource) Proxy.newProxyInstance(
                ConnectionsTest.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> method.getName().equals("getConnection") ? shared : null);
        return List.of(JdbiIdempotencyStore.on(source), JdbiIdempotencyStore.on(Jdbi.create(source)));
    }

    /** A pool would run dry otherwise. */
    @Test
    void connectionWithAnUnreadableModeReturnsToThePool() {
        AtomicBoolean closed = new AtomicBoolean();
        Connection broken = (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        closed.set(true);
                        return null;
                    }
                    throw new SQLException("broken", "08006");
                });
        PGSimpleDataSource source = new PGSimpleDataSource() {
            @Override
            public Connection getConnection() {
                return broken;
            }
        };
        assertThatThrownBy(() -> operation(JdbiIdempotencyStore.on(source)).execute(ATTEMPT, handle -> Done.DONE))
                .isInstanceOf(NotStartedException.class);
        assertThat(closed).isTrue();
    }

    private int connectionsInUse() {
        HikariDataSource pool = database.pool();
        return pool.getHikariPoolMXBean().getActiveConnections();
    }

    /** The next caller gives back what could not be given back for want of memory. */
    @Test
    void connectionThatCouldNotBeGivenBackIsGivenBackByTheNextCaller() throws SQLException {
        AtomicBoolean noMemory = new AtomicBoolean();
        List<Connection> lent = new ArrayList<>();
        DataSource source = (DataSource) Proxy.newProxyInstance(
                ConnectionsTest.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, args) -> {
                    Connection connection = DriverManager.getConnection("jdbc:h2:mem:");
                    lent.add(connection);
                    return failing(connection, noMemory);
                });
        Connections<Connection> connections = new PlainConnections(source);
        LentConnection<Connection> first = connections.borrow(new H2Dialect(RecordTable.DEFAULT));
        noMemory.set(true);
        first.close(true);
        assertThat(lent.get(0).isClosed()).isFalse();

        noMemory.set(false);
        connections.borrow(new H2Dialect(RecordTable.DEFAULT)).close(true);
        assertThat(lent)
                .hasSize(2)
                .allSatisfy(connection -> assertThat(connection.isClosed()).isTrue());
    }

    private static Connection failing(Connection connection, AtomicBoolean noMemory) {
        return (Connection) Proxy.newProxyInstance(
                ConnectionsTest.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, args) -> {
                    if (noMemory.get()) {
                        throw new OutOfMemoryError("injected");
                    }
                    try {
                        return method.invoke(connection, args);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }
}
