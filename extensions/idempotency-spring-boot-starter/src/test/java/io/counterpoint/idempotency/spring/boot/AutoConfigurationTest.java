package io.counterpoint.idempotency.spring.boot;

import static io.counterpoint.idempotency.spring.boot.Contexts.bare;
import static io.counterpoint.idempotency.spring.boot.Contexts.onH2;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyListener;
import io.counterpoint.idempotency.annotation.CallerScope;
import io.counterpoint.idempotency.annotation.Idempotent;
import io.counterpoint.idempotency.annotation.InvalidIdempotentMethodException;
import io.counterpoint.idempotency.annotation.OperationCustomizer;
import io.counterpoint.idempotency.jdbc.CoalescingStore;
import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.spi.ForwardingStore;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.util.AopTestUtils;
import org.springframework.util.ClassUtils;

/** The beans that are there without a line of glue, and those that stand in for them. */
class AutoConfigurationTest {

    static class Service {
        private int runs;

        @Idempotent(operation = "count", key = "#key", scope = "'test'")
        public int count(String key) {
            return ++runs;
        }

        @Idempotent(operation = "fail", key = "#key", scope = "'test'")
        public void fail(String key) {
            throw new IllegalStateException("always");
        }

        @Idempotent(operation = "mine", key = "#key")
        public int mine(String key) {
            return ++runs;
        }
    }

    /** The two lines of a test. */
    @TestConfiguration(proxyBeanMethods = false)
    static class InMemory {
        @Bean
        IdempotencyStore<?> store() {
            return new InMemoryIdempotencyStore();
        }
    }

    @Test
    void storeInMemoryServesTestsWithoutADatabase() {
        bare().withUserConfiguration(InMemory.class, Service.class)
                .withPropertyValues("idempotency.anonymous=true")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(Service.class).count("k")).isEqualTo(1);
                    assertThat(context.getBean(Service.class).count("k")).isEqualTo(1);
                });
    }

    /** What the method writes would commit separately, so a retry could write it twice. */
    @Test
    void storeOutsideOfSpringsTransactionsIsRefused() {
        onH2().withPropertyValues("idempotency.anonymous=true")
                .withUserConfiguration(Service.class, PlainStore.class)
                .run(context -> {
                    assertThatThrownBy(() -> context.getBean(Service.class).count("k"))
                            .isInstanceOf(InvalidIdempotentMethodException.class)
                            .hasMessageContaining("SpringIdempotencyStore.on(transactionManager)");
                    Service service = AopTestUtils.getTargetObject(context.getBean(Service.class));
                    assertThat(service.runs).isZero();
                });
    }

    @TestConfiguration(proxyBeanMethods = false)
    static class PlainStore {
        @Bean
        IdempotencyStore<Connection> store(DataSource dataSource) {
            return JdbcIdempotencyStore.on(dataSource).createTableIfMissing();
        }
    }

    @Test
    void everyBeanCanBeReplaced() {
        Idempotency<?> mine = Idempotency.on(new InMemoryIdempotencyStore());

        onH2().withBean("mine", Idempotency.class, () -> mine).run(context -> {
            assertThat(context.getBean(Idempotency.class)).isSameAs(mine);
            assertThat(context).doesNotHaveBean(IdempotencyStore.class).doesNotHaveBean(RecordDatabase.class);
        });
        onH2().withBean(CallerScope.class, () -> () -> java.util.Optional.of("tenant:7"))
                .withUserConfiguration(Service.class)
                .run(context -> {
                    assertThat(context.getBean(Service.class).mine("k")).isEqualTo(1);
                    assertThat(new JdbcTemplate(context.getBean(DataSource.class))
                                    .queryForObject("SELECT scope FROM idempotency_record", String.class))
                            .isEqualTo("tenant:7");
                });
    }

    @Test
    void nothingIsConfiguredWhereItIsOff() {
        onH2().withPropertyValues("idempotency.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Idempotency.class));
    }

    /** The optional dependency of the JDBC store is not on the class path of these tests. */
    @Test
    void applicationStartsAndCallsWithoutJdbi() {
        assertThat(ClassUtils.isPresent("org.jdbi.v3.core.Jdbi", null)).isFalse();
        onH2().withPropertyValues("idempotency.anonymous=true")
                .withUserConfiguration(Service.class)
                .run(context -> {
                    assertThat(context.getBean(Service.class).mine("k")).isEqualTo(1);
                    assertThat(context.getBean(Service.class).mine("k")).isEqualTo(1);
                });
    }

    @ParameterizedTest
    @CsvSource({"durable-replays, durableReplays(true)", "turn-across-processes, turnAcrossProcesses(true)"})
    void whatTheDatabaseDoesNotHaveIsRefusedAtTheStart(String property, String option) {
        onH2().withPropertyValues("idempotency.create-table=true", "idempotency." + property + "=true")
                .run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining(option));
    }

    @Test
    void boundOfWaitingCallersReachesEachOperation() {
        onH2().withPropertyValues(
                        "idempotency.create-table=true", "idempotency.anonymous=true", "idempotency.max-waiting=0")
                .withUserConfiguration(Service.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("the number of waiting callers must be between 1"));
    }

    @Test
    void propertiesReachTheStore() {
        onH2().withPropertyValues(
                        "idempotency.table=mine",
                        "idempotency.retention=3h",
                        "idempotency.wait-at-most=2s",
                        "idempotency.settle-within=7s",
                        "idempotency.max-retries=4",
                        "idempotency.max-result-size=2KB",
                        "idempotency.isolation=serializable",
                        "idempotency.durable-claims=true",
                        "idempotency.coalesced-reads=true",
                        "idempotency.anonymous=true")
                .withUserConfiguration(Service.class)
                .run(context -> {
                    assertThat(context.getBean(IdempotencyStore.class)).isInstanceOf(CoalescingStore.class);
                    context.getBean(Service.class).mine("k");
                    assertThat(
                                    new JdbcTemplate(context.getBean(DataSource.class))
                                            .queryForMap(
                                                    "SELECT scope, DATEDIFF('HOUR', created_at, expires_at) AS lives FROM mine"))
                            .containsEntry("scope", "anonymous")
                            .containsEntry("lives", 3L);
                    assertThat(context.getBean(Idempotency.class)
                                    .operation("built")
                                    .build()
                                    .toString())
                            .contains(
                                    "retention 3 h",
                                    "waits at most 2 s",
                                    "settles within 7 s",
                                    "retries 4",
                                    "results up to 2048 bytes");
                });
    }

    /** The application's own bean has the defaults that the application gives it. */
    @Test
    void propertyThatReachesNoOperationIsRefused() {
        ApplicationContextRunner own = onH2().withPropertyValues("idempotency.create-table=true")
                .withBean("own", Idempotency.class, () -> Idempotency.on(new InMemoryIdempotencyStore()));

        own.run(context -> assertThat(context).hasNotFailed());
        own.withPropertyValues("idempotency.settle-within=30s")
                .run(context -> assertThat(context)
                        .getFailure()
                        .isInstanceOf(IdempotencyStartException.class)
                        .hasMessageContaining("idempotency.settle-within"));
    }

    @Test
    void customizerChangesTheOperation() {
        OperationCustomizer customizer =
                (operation, builder) -> builder.describeFailure(thrown -> new Failure("described", operation));

        List<Failure> failures = new ArrayList<>();
        onH2().withBean(OperationCustomizer.class, () -> customizer)
                .withBean(
                        IdempotencyListener.class,
                        () -> IdempotencyListener.on(
                                IdempotencyEvent.Failed.class, event -> failures.add(event.failure())))
                .withPropertyValues("idempotency.anonymous=true")
                .withUserConfiguration(Service.class)
                .run(context -> {
                    try {
                        context.getBean(Service.class).fail("k");
                    } catch (IllegalStateException expected) {
                        assertThat(expected).hasMessage("always");
                    }
                });

        assertThat(failures).containsExactly(new Failure("described", "fail"));
    }

    @Test
    void severalListenersHearTheSameAlthoughOneThrows() {
        List<String> heard = new ArrayList<>();
        onH2().withBean(
                        "bad",
                        IdempotencyListener.class,
                        () -> IdempotencyListener.on(IdempotencyEvent.Succeeded.class, event -> {
                            throw new IllegalStateException("bad listener");
                        }))
                .withBean(
                        "good",
                        IdempotencyListener.class,
                        () -> IdempotencyListener.on(
                                IdempotencyEvent.Succeeded.class,
                                event -> heard.add(event.key().operation())))
                .withPropertyValues("idempotency.anonymous=true")
                .withUserConfiguration(Service.class)
                .run(context -> context.getBean(Service.class).count("k"));

        assertThat(heard).containsExactly("count");
    }

    @Test
    void purgeRunsOnItsScheduleAndEndsWithTheContext() {
        CountDownLatch purges = new CountDownLatch(3);
        bare().withBean("store", IdempotencyStore.class, () -> new CountingStore(purges))
                .withPropertyValues("idempotency.purge.interval=1ms", "idempotency.purge.batch=2")
                .run(context -> {
                    assertThat(purges.await(30, TimeUnit.SECONDS)).isTrue();
                    PurgeSchedule schedule = context.getBean(PurgeSchedule.class);
                    assertThat(schedule.isRunning()).isTrue();
                    context.close();
                    assertThat(schedule.isRunning()).isFalse();
                });
    }

    /** An error too: nobody sees what ends a schedule. */
    @Test
    void purgeThatFailsRunsAgain() {
        CountDownLatch purges = new CountDownLatch(3);
        bare().withBean("store", IdempotencyStore.class, () -> new CountingStore(purges) {
                    @Override
                    public synchronized int purgeExpired(int batch) {
                        super.purgeExpired(batch);
                        throw new NoClassDefFoundError("driver");
                    }
                })
                .withPropertyValues("idempotency.purge.interval=1ms")
                .run(context -> {
                    assertThat(purges.await(30, TimeUnit.SECONDS)).isTrue();
                    assertThat(context.getBean(PurgeSchedule.class).age()).isEmpty();
                });
    }

    @Test
    void onePurgeGoesOnWhileBatchesAreFull() {
        CountDownLatch purges = new CountDownLatch(5);
        CountingStore store = new CountingStore(purges);
        new PurgeSchedule(
                        Idempotency.on(store), new IdempotencyProperties.Purge(true, java.time.Duration.ofHours(1), 2))
                .run();

        assertThat(store.calls).isEqualTo(3);
    }

    @Test
    void migrationsHaveTheStatementsOfTheStore() throws Exception {
        for (String statements : List.of("jdbc/h2", "jdbc/postgresql", "mariadb/mariadb", "mariadb/mysql")) {
            String vendor = statements.substring(statements.indexOf('/'));
            assertThat(resource("db/idempotency" + vendor + "/R__idempotency_record.sql"))
                    .isEqualTo(resource("io/counterpoint/idempotency/" + statements + ".sql"));
        }
    }

    private static String resource(String name) throws IOException {
        try (var in = AutoConfigurationTest.class.getClassLoader().getResourceAsStream(name)) {
            assertThat(in).as(name).isNotNull();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void metadataDescribesEveryProperty() throws Exception {
        try (var in = getClass().getClassLoader().getResourceAsStream("META-INF/spring-configuration-metadata.json")) {
            assertThat(in).isNotNull();
        }
        List<String> found = new ArrayList<>();
        for (var url : java.util.Collections.list(
                getClass().getClassLoader().getResources("META-INF/spring-configuration-metadata.json"))) {
            try (var in = url.openStream()) {
                String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
                if (text.contains("idempotency.table")) {
                    found.add(text);
                }
            }
        }
        assertThat(found).hasSize(1);
        assertThat(found.get(0))
                .contains(
                        "\"idempotency.purge.interval\"",
                        "\"idempotency.http.required\"",
                        "\"idempotency.create-table\"")
                .contains(
                        "Whether the table is checked at startup",
                        "Maximum number of records that one statement of the purge");
    }

    /** Counts purges; the first two of them are full. */
    private static class CountingStore extends ForwardingStore<InMemoryIdempotencyStore.Transaction> {
        private final CountDownLatch purges;
        private volatile int calls;

        CountingStore(CountDownLatch purges) {
            super(new InMemoryIdempotencyStore());
            this.purges = purges;
        }

        @Override
        public synchronized int purgeExpired(int batch) {
            purges.countDown();
            calls++;
            return calls <= 2 ? batch : 0;
        }
    }
}
