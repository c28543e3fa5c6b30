package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.h2.H2Dialect;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.LockScope;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLTransientConnectionException;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The dialect says whether its locks are global, and no view of a store forgets it. */
class LocalLocksTest {

    @TempDir
    private Path folder;

    private final JdbcDataSource unused = new JdbcDataSource();
    private final Dialect dialect = new H2Dialect(RecordTable.DEFAULT);

    private static Dialect withLocalLocks(Dialect dialect) {
        return (Dialect) Proxy.newProxyInstance(
                Dialect.class.getClassLoader(),
                new Class<?>[] {Dialect.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "lockScope" -> LockScope.NODE;
                    case "withTable" -> withLocalLocks(dialect.withTable((RecordTable) arguments[0]));
                    default -> method.invoke(dialect, arguments);
                });
    }

    @Test
    void storeThatHasAskedNothingYetAsksItsDatabase() throws Exception {
        unused.setURL("jdbc:h2:mem:" + UUID.randomUUID());
        assertThat(JdbiIdempotencyStore.on(unused).lockScope()).isEqualTo(LockScope.GLOBAL);
        assertThat(JdbcIdempotencyStore.on(unused).lockScope()).isEqualTo(LockScope.GLOBAL);

        Thread thread = Thread.currentThread();
        ClassLoader own = thread.getContextClassLoader();
        thread.setContextClassLoader(withProvider(own));
        try {
            assertThat(JdbcIdempotencyStore.on(ofProduct(DataSource.class, unused, "Nodes"))
                            .lockScope())
                    .isEqualTo(LockScope.NODE);
        } finally {
            thread.setContextClassLoader(own);
        }
    }

    private ClassLoader withProvider(ClassLoader parent) throws IOException {
        Path services = Files.createDirectories(folder.resolve("META-INF/services"));
        Path file = services.resolve(Dialect.Provider.class.getName());
        URL found = Files.writeString(file, OfNodes.class.getName()).toUri().toURL();
        return new ClassLoader(parent) {
            @Override
            protected Enumeration<URL> findResources(String name) {
                return Collections.enumeration(
                        name.endsWith(file.getFileName().toString()) ? List.of(found) : List.of());
            }
        };
    }

    /** A database that calls itself so. */
    private static <T> T ofProduct(Class<T> type, Object real, String product) {
        return type.cast(Proxy.newProxyInstance(
                LocalLocksTest.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (method.getName().equals("getDatabaseProductName")) {
                        return product;
                    }
                    Object answer = method.invoke(real, arguments);
                    boolean leadsThere = answer instanceof Connection || answer instanceof DatabaseMetaData;
                    return leadsThere ? ofProduct(method.getReturnType(), answer, product) : answer;
                }));
    }

    /** What an application has on its class path beside the store. */
    public static final class OfNodes implements Dialect.Provider {
        @Override
        public Optional<Dialect> dialectFor(Connection connection) {
            return Optional.of(withLocalLocks(new H2Dialect(RecordTable.DEFAULT)));
        }
    }

    @Test
    void locksAreLocalAsLongAsTheDatabaseDoesNotAnswer() {
        unused.setURL("jdbc:h2:tcp://127.0.0.1:1/absent");
        assertThat(JdbcIdempotencyStore.on(unused).lockScope()).isEqualTo(LockScope.NODE);
    }

    /** Each further connection would wait as long as the pool does, with a client behind it. */
    @ParameterizedTest
    @EnumSource(names = {"CLAIM_FIRST", "SINGLE_TRANSACTION"})
    void firstCallAsksForOneConnectionWhereTheDatabaseIsAway(Operation.Protocol protocol) {
        AtomicInteger asked = new AtomicInteger();
        DataSource away = (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    asked.incrementAndGet();
                    throw new SQLTransientConnectionException("request timed out");
                });
        Operation<Connection, String> operation = Idempotency.on(JdbcIdempotencyStore.on(away))
                .operation("create", ResultCodec.string())
                .protocol(protocol)
                .build();
        Attempt attempt = Attempt.inScope("user:1").key("k").request("r");

        assertThatExceptionOfType(NotStartedException.class)
                .isThrownBy(() -> operation.execute(attempt, connection -> "done"))
                .returns(Reason.STORE_UNREACHABLE, NotStartedException::reason);
        assertThat(asked).hasValue(1);
    }

    @Test
    void everyViewOfAStoreSaysThatItsLocksAreLocal() {
        JdbiIdempotencyStore store = JdbiIdempotencyStore.builder(unused)
                .dialect(withLocalLocks(dialect))
                .build();
        Stream<IdempotencyStore<?>> views = Stream.of(
                store,
                store.toBuilder().table("other").build(),
                store.toBuilder().isolation(Isolation.SERIALIZABLE).build(),
                store.toBuilder().durableClaims(true).build(),
                CoalescingStore.of(store, () -> "tenant"),
                store.toBuilder().rejectCallsWhile(() -> false).build(),
                store.mapped(Optional::of));
        assertThat(views).allMatch(view -> view.lockScope() == LockScope.NODE);
    }
}
