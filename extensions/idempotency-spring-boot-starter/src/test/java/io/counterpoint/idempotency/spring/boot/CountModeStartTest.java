package io.counterpoint.idempotency.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.counterpoint.idempotency.annotation.Idempotent;
import io.counterpoint.idempotency.spring.boot.shop.Orders;
import io.counterpoint.idempotency.spring.boot.shop.Shop;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.http.HttpResponse;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;

/** What a node that counts says at its start, what it refuses there, and that it refuses nothing over HTTP. */
class CountModeStartTest {

    static class Service {
        @Idempotent(operation = "book", key = "#key", scope = "'test'")
        public int book(String key) {
            return 1;
        }
    }

    private static ApplicationContextRunner counting() {
        return Contexts.onH2()
                .withConfiguration(AutoConfigurations.of(IdempotencyMetricsAutoConfiguration.class))
                .withUserConfiguration(Service.class)
                .withPropertyValues("idempotency.mode=count");
    }

    private static void refused(ApplicationContextRunner node, String why) {
        node.run(context -> assertThat(context).getFailure().hasStackTraceContaining(why));
    }

    @Test
    void logSaysAtTheStartWhatIsNotProtected() {
        Logger logger = (Logger) LoggerFactory.getLogger("io.counterpoint.idempotency.spring.annotation");
        Level before = logger.getLevel();
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        logger.setLevel(Level.WARN);
        logger.addAppender(log);
        try {
            counting()
                    .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                    .run(context -> assertThat(context).hasNotFailed());
        } finally {
            logger.detachAppender(log);
            logger.setLevel(before);
        }
        assertThat(log.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly("idempotency.mode=count: duplicates are counted, but their work runs."
                        + " NOT PROTECTED: [book]. Protected: [].");
    }

    @Test
    void combinationsWithoutSenseAreRefusedAtTheStart() {
        refused(counting(), "idempotency.mode=count counts duplicates in a meter registry, but there is none.");
        refused(
                counting()
                        .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                        .withPropertyValues("idempotency.protect=boook"),
                "idempotency.protect names [boook], but the operations of annotated methods are [book]");
        refused(
                Contexts.onH2().withPropertyValues("idempotency.protect=book"),
                "Remove idempotency.protect, or set idempotency.mode=count.");
        for (String refusing : new String[] {
            "idempotency.http.required=/pay", "idempotency.http.elsewhere=required", "idempotency.http.unused-key=fail"
        }) {
            new WebApplicationContextRunner()
                    .withConfiguration(AutoConfigurations.of(
                            IdempotencyAutoConfiguration.class,
                            IdempotencyHttpAutoConfiguration.class,
                            IdempotencyMetricsAutoConfiguration.class))
                    .withUserConfiguration(Contexts.OneDataSource.class)
                    .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                    .withPropertyValues("idempotency.create-table=true", "idempotency.mode=count", refusing)
                    .run(context -> assertThat(context)
                            .getFailure()
                            .rootCause()
                            .hasMessageContaining("this one would refuse requests"));
        }
    }

    @Test
    void requestsOverHttpAreHandledEachTimeWhateverTheirKey() throws Exception {
        try (ConfigurableApplicationContext shop = SpringApplication.run(
                Shop.class,
                "--server.port=0",
                "--spring.main.banner-mode=off",
                "--logging.level.root=ERROR",
                "--spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1",
                "--spring.jpa.hibernate.ddl-auto=create",
                "--spring.flyway.enabled=false",
                "--spring.liquibase.enabled=false",
                "--idempotency.create-table=true",
                "--idempotency.mode=count")) {
            for (String key : new String[] {"\"k-1\"", "\"k-1\"", "", "\"not\" one key"}) {
                HttpResponse<String> answer =
                        StartedShop.post(shop, "ann", "/purchases", key, "{\"name\":\"counted\"}");
                assertThat(answer.statusCode()).as(key).isEqualTo(201);
                assertThat(answer.headers().firstValue("Idempotent-Replayed")).isEmpty();
            }
            assertThat(shop.getBean(Orders.class).count("counted")).isEqualTo(4);
            MeterRegistry registry = shop.getBean(MeterRegistry.class);
            for (String answer : new String[] {"first", "replayed", "no_key", "refused"}) {
                assertThat(registry.get("idempotency.counted")
                                .tags("operation", "buy-over-http", "answer", answer)
                                .counter()
                                .count())
                        .as(answer)
                        .isEqualTo(1);
            }
        }
    }
}
