package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.jdbc.h2.H2Dialect;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

/** The dialect says whether its locks are global, and no view of a store forgets it. */
class LocalLocksTest {

    private final DataSource unused = new JdbcDataSource();
    private final Dialect dialect = new H2Dialect(RecordTable.DEFAULT);

    private static Dialect withLocalLocks(Dialect dialect) {
        return (Dialect) Proxy.newProxyInstance(
                Dialect.class.getClassLoader(),
                new Class<?>[] {Dialect.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "hasGlobalLocks" -> false;
                    case "withTable" -> withLocalLocks(dialect.withTable((RecordTable) arguments[0]));
                    default -> method.invoke(dialect, arguments);
                });
    }

    @Test
    void locksAreGlobalUnlessTheDialectSaysOtherwise() {
        assertThat(JdbiIdempotencyStore.on(unused).hasGlobalLocks()).isTrue();
        assertThat(JdbcIdempotencyStore.on(unused).hasGlobalLocks()).isTrue();
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
                store.toBuilder().coalescedReads(() -> "tenant").build(),
                store.toBuilder().rejectCallsWhile(() -> false).build(),
                store.mapped(Optional::of));
        assertThat(views).noneMatch(IdempotencyStore::hasGlobalLocks);
    }
}
