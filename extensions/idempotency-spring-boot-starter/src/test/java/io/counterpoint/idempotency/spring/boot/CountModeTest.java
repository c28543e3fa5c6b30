package io.counterpoint.idempotency.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.RejectedException;
import io.counterpoint.idempotency.annotation.CallerScope;
import io.counterpoint.idempotency.annotation.Idempotent;
import io.counterpoint.idempotency.testing.PostgresServer;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** A node that counts, alone and beside a node that protects: what happens, what is counted, and what a record says. */
@Tag("thorough")
@Timeout(120)
class CountModeTest {

    private static final String COUNTS = "idempotency.mode=count";

    private @Nullable String postgres;

    /** What happens between the effect of the next payment and its end. */
    private static volatile Runnable meanwhile = () -> {};

    static class Payments {
        private final JdbcTemplate jdbc;

        Payments(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        /** The number of the payment. */
        @Idempotent(operation = "pay", key = "#key", scope = "'test'")
        @Transactional
        public long pay(@Nullable String key, int cents) {
            jdbc.update("INSERT INTO payment (key_of, cents) VALUES (?, ?)", key, cents);
            Runnable now = meanwhile;
            meanwhile = () -> {};
            now.run();
            return count(key);
        }

        @Idempotent(operation = "refund", key = "#key")
        @Transactional
        public void refund(String key) {
            jdbc.update("INSERT INTO payment (key_of, cents) VALUES (?, ?)", key, -1);
        }

        private long count(@Nullable String key) {
            Long found = jdbc.queryForObject("SELECT count(*) FROM payment WHERE key_of = ?", Long.class, key);
            return found == null ? 0 : found;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class Application {
        @Bean
        JdbcTemplate jdbc(DataSource dataSource) {
            return new JdbcTemplate(dataSource);
        }

        @Bean
        PlatformTransactionManager transactions(DataSource dataSource) {
            return new DataSourceTransactionManager(dataSource);
        }

        @Bean
        CallerScope nobody() {
            return Optional::empty;
        }

        @Bean
        Payments payments(JdbcTemplate jdbc) {
            return new Payments(jdbc);
        }
    }

    private DataSource dataSource(String database) {
        DataSource dataSource;
        if (database.equals("H2")) {
            dataSource = Contexts.h2();
        } else {
            postgres = PostgresServer.shared().createDatabase();
            dataSource = new DriverManagerDataSource(postgres);
        }
        new JdbcTemplate(dataSource).execute("CREATE TABLE payment (key_of varchar(20), cents int)");
        return dataSource;
    }

    @AfterEach
    void giveBack() {
        meanwhile = () -> {};
        if (postgres != null) {
            PostgresServer.shared().giveBack(postgres);
        }
    }

    private static void node(DataSource dataSource, String property, Consumer<ApplicationContext> use) {
        Contexts.bare()
                .withConfiguration(AutoConfigurations.of(IdempotencyMetricsAutoConfiguration.class))
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .withBean(DataSource.class, () -> dataSource)
                .withUserConfiguration(Application.class)
                .withPropertyValues("idempotency.create-table=true", "idempotency.purge.enabled=false")
                .withPropertyValues(property.split(" ", -1))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    use.accept(context);
                });
    }

    /** A node that counts and one that protects, on one database. */
    private void besideEachOther(String database, BiConsumer<ApplicationContext, ApplicationContext> use) {
        DataSource shared = dataSource(database);
        node(
                shared,
                COUNTS,
                counting -> node(shared, "idempotency.mode=protect", protecting -> use.accept(counting, protecting)));
    }

    private static Payments on(ApplicationContext node) {
        return node.getBean(Payments.class);
    }

    private static Map<String, Integer> counted(ApplicationContext node, String operation) {
        Map<String, Integer> counted = new TreeMap<>();
        for (Counter counter : node.getBean(MeterRegistry.class)
                .find("idempotency.counted")
                .tag("operation", operation)
                .counters()) {
            counted.put(String.valueOf(counter.getId().getTag("answer")), (int) counter.count());
        }
        return counted;
    }

    private static int records(ApplicationContext node) {
        Integer found = node.getBean(JdbcTemplate.class)
                .queryForObject("SELECT count(*) FROM idempotency_record", Integer.class);
        return found == null ? -1 : found;
    }

    @ParameterizedTest
    @ValueSource(strings = {"H2", "PostgreSQL"})
    void eachCallOfACountingNodeRunsAndLeavesNoRecord(String database) {
        node(dataSource(database), COUNTS, node -> {
            assertThat(on(node).pay("k", 1)).isEqualTo(1);
            assertThat(on(node).pay("k", 1)).isEqualTo(2);
            assertThat(on(node).pay("k", 2)).isEqualTo(3);
            meanwhile = () -> assertThat(inAnotherThread(() -> on(node).pay("running", 1)))
                    .isEqualTo(1);
            assertThat(on(node).pay("running", 1)).isGreaterThanOrEqualTo(1);
            assertThat(on(node).pay(null, 1)).isZero();
            on(node).refund("k");

            assertThat(counted(node, "pay"))
                    .isEqualTo(Map.of("first", 2, "replayed", 1, "key_reused", 1, "in_progress", 1, "no_key", 1));
            assertThat(counted(node, "refund")).as("no caller is authenticated").isEqualTo(Map.of("refused", 1));
            assertThat(records(node)).isZero();
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"H2", "PostgreSQL"})
    void countingNodeNeedsNoTableAfterItsStart(String database) {
        node(dataSource(database), COUNTS, node -> {
            node.getBean(JdbcTemplate.class).execute("DROP TABLE idempotency_record");
            assertThat(on(node).pay("k", 1)).isEqualTo(1);
            assertThat(on(node).pay("k", 1)).isEqualTo(2);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"H2", "PostgreSQL"})
    void callInATransactionOfItsCallerIsCountedAsRefusedAndSharesThatTransaction(String database) {
        node(dataSource(database), COUNTS, node -> {
            TransactionTemplate outer = new TransactionTemplate(node.getBean(PlatformTransactionManager.class));
            outer.executeWithoutResult(status -> {
                assertThat(on(node).pay("k", 1)).isEqualTo(1);
                status.setRollbackOnly();
            });
            assertThat(on(node).pay("k", 1)).isEqualTo(1);
            assertThat(counted(node, "pay")).isEqualTo(Map.of("refused", 1, "first", 1));
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"H2", "PostgreSQL"})
    void protectingNodeNeitherReplaysNorRefusesWhatACountingNodeDid(String database) {
        besideEachOther(database, (counting, protecting) -> {
            assertThat(on(counting).pay("k", 1)).isEqualTo(1);
            assertThat(on(counting).pay("other", 9)).isEqualTo(1);

            assertThat(on(protecting).pay("k", 1))
                    .as("its first call, the key's second effect")
                    .isEqualTo(2);
            assertThat(on(protecting).pay("other", 1))
                    .as("another request, which it does not know")
                    .isEqualTo(2);

            assertThat(on(counting).pay("k", 1))
                    .as("a record protects no call of a counting node")
                    .isEqualTo(3);
            assertThat(on(protecting).pay("k", 1))
                    .as("replayed: its own answer")
                    .isEqualTo(2);
            assertThat(records(protecting)).isEqualTo(2);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"H2", "PostgreSQL"})
    void callsOfBothNodesAtOnceDoNotWaitForEachOther(String database) {
        besideEachOther(database, (counting, protecting) -> {
            meanwhile = () ->
                    assertThat(inAnotherThread(() -> on(counting).pay("k", 1))).isEqualTo(1);
            assertThat(on(protecting).pay("k", 1))
                    .as("a leader, and a counted call in its midst")
                    .isBetween(1L, 2L);
            meanwhile = () -> assertThat(inAnotherThread(() -> on(protecting).pay("l", 1)))
                    .isEqualTo(1);
            assertThat(on(counting).pay("l", 1))
                    .as("a counted call, and a leader in its midst")
                    .isBetween(1L, 2L);

            assertThat(on(protecting).pay("l", 1)).as("replayed").isEqualTo(1);
            assertThat(records(protecting)).isEqualTo(2);
            assertThat(counted(counting, "pay")).isEqualTo(Map.of("first", 2));
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"H2", "PostgreSQL"})
    void failureOfOneNodeIsNotThatOfTheOther(String database) {
        besideEachOther(database, (counting, protecting) -> {
            failedPayment(counting, "k");
            assertThat(on(protecting).pay("k", 1)).as("no failure is recorded").isEqualTo(1);

            failedPayment(protecting, "l");
            assertThatThrownBy(() -> on(protecting).pay("l", 1)).isInstanceOf(RejectedException.class);
            assertThat(on(counting).pay("l", 1))
                    .as("a recorded failure stops no counted call")
                    .isEqualTo(1);
            assertThatThrownBy(() -> on(protecting).pay("l", 1))
                    .as("true of its own attempt, and not of the counted call")
                    .isInstanceOf(RejectedException.class);
            assertThat(on(counting).pay("k", 1)).isEqualTo(2);
            assertThat(counted(counting, "pay")).isEqualTo(Map.of("first", 2, "rejected", 1));
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"H2", "PostgreSQL"})
    void oneOperationIsProtectedAndTheOthersAreCounted(String database) {
        node(dataSource(database), COUNTS + " idempotency.protect=pay idempotency.anonymous=true", node -> {
            assertThat(on(node).pay("k", 1)).isEqualTo(1);
            assertThat(on(node).pay("k", 1)).isEqualTo(1);
            on(node).refund("r");

            assertThat(records(node)).isEqualTo(1);
            assertThat(counted(node, "pay")).isEmpty();
            assertThat(counted(node, "refund")).hasSize(1);
        });
    }

    private static void failedPayment(ApplicationContext node, String key) {
        meanwhile = () -> {
            throw new IllegalArgumentException("no funds");
        };
        assertThatThrownBy(() -> on(node).pay(key, 1)).isInstanceOf(IllegalArgumentException.class);
    }

    /** Also where the thread is inside a transaction, which the call must not see. */
    private static <T> T inAnotherThread(Supplier<T> call) {
        return CompletableFuture.supplyAsync(call, task -> new Thread(task).start())
                .orTimeout(60, TimeUnit.SECONDS)
                .join();
    }
}
