package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.testing.Race;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Coalesced reads over a data source that picks the database by the calling thread. */
@Timeout(60)
class RoutedReadsTest {

    private static final int KEYS = 4;
    private static final int READS = 100;

    private final ThreadLocal<Integer> tenant = ThreadLocal.withInitial(() -> 0);
    private List<TestDatabase> databases = List.of();

    @AfterEach
    void close() {
        databases.forEach(TestDatabase::close);
    }

    private IdempotencyStore<Handle> store(boolean h2, int few) {
        databases = Stream.generate(() -> h2 ? TestDatabase.h2() : TestDatabase.postgresql())
                .limit(2)
                .toList();
        DataSource routed = (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> method.getName().equals("getConnection")
                        ? databases.get(tenant.get()).pool().getConnection()
                        : null);
        return new CoalescingStore<>(JdbiIdempotencyStore.on(routed), few, tenant::get);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void nobodyReadsTheAnswerOfAnotherTenant(boolean h2) {
        Operation<Handle, String> operation = Idempotency.on(store(h2, 0))
                .operation("operate", ResultCodec.string())
                .build();
        for (int i = 0; i < databases.size(); i++) {
            tenant.set(i);
            for (int key = 0; key < KEYS; key++) {
                assertThat(call(operation, key)).isInstanceOf(Outcome.Executed.class);
            }
        }
        AtomicInteger others = new AtomicInteger();
        assertThat(Race.of(32, runner -> {
                    int own = runner % 2;
                    tenant.set(own);
                    for (int i = 0; i < READS; i++) {
                        if (!call(operation, i % KEYS).orElseThrow().equals("tenant " + own)) {
                            others.incrementAndGet();
                        }
                    }
                    return true;
                }))
                .allSatisfy(result -> assertThat(result.orFail()).isTrue());
        assertThat(others).as("answers of the other tenant").hasValue(0);
    }

    private Outcome<String> call(Operation<Handle, String> operation, int key) {
        int own = tenant.get();
        return operation.execute(
                Attempt.inScope("user:1").key("key-" + key).request("request"), handle -> "tenant " + own);
    }

    @Test
    void groupIsAskedOnceForEachReadOnTheThreadOfTheCaller() {
        store(true, 0);
        AtomicInteger asked = new AtomicInteger();
        Thread caller = Thread.currentThread();
        CoalescingStore<Handle> store = new CoalescingStore<>(databases.get(0).store(), 0, () -> {
            assertThat(Thread.currentThread()).isSameAs(caller);
            return asked.incrementAndGet();
        });
        for (int i = 1; i <= 3; i++) {
            assertThat(store.read(IdempotencyKey.inScope("scope")
                            .operation("operation")
                            .value("key")))
                    .isEmpty();
            assertThat(asked).hasValue(i);
        }
        assertThat(store.groups()).isZero();
    }

    @Test
    void callersWithoutAGroupAreAGroup() {
        store(true, 0);
        assertThat(CoalescingStore.of(databases.get(0).store(), () -> null)
                        .read(IdempotencyKey.inScope("scope")
                                .operation("operation")
                                .value("key")))
                .isEmpty();
    }

    @Test
    void unknownGroupFailsItsCaller() {
        store(true, 0);
        IllegalArgumentException unknown = new IllegalArgumentException("unknown tenant");
        CoalescingStore<Handle> store = new CoalescingStore<>(databases.get(0).store(), 0, () -> {
            throw unknown;
        });
        assertThatThrownBy(() -> store.read(
                        IdempotencyKey.inScope("scope").operation("operation").value("key")))
                .isSameAs(unknown);
        assertThat(store.groups()).isZero();
    }
}
