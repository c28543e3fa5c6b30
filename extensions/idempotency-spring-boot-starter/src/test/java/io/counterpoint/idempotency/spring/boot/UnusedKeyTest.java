package io.counterpoint.idempotency.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.counterpoint.idempotency.spring.boot.shop.Shop;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** A route that requires a key, and a handler that does nothing with it. */
@Tag("thorough")
class UnusedKeyTest {

    @ParameterizedTest
    @CsvSource({"fail, 500", "warn, 201", "ignore, 201"})
    void answerOfAHandlerThatDoesNotUseTheKeyIsAsThePropertySays(String choice, int status) throws Exception {
        try (ConfigurableApplicationContext shop = shop("--idempotency.http.unused-key=" + choice)) {
            assertThat(StartedShop.post(shop, "ann", "/forgotten", "\"f-1\"", "{\"name\":\"jam\"}")
                            .statusCode())
                    .isEqualTo(status);
            assertThat(StartedShop.post(shop, "ann", "/purchases", "\"f-2\"", "{\"name\":\"jam\"}")
                            .statusCode())
                    .isEqualTo(201);
            assertThat(StartedShop.post(shop, "ann", "/purchases", "\"f-2\"", "{\"name\":\"jam\"}")
                            .statusCode())
                    .isEqualTo(201);
        }
    }

    @Test
    void requestWithoutAKeyIsNotFailed() throws Exception {
        try (ConfigurableApplicationContext shop = shop("--idempotency.http.unused-key=fail")) {
            assertThat(StartedShop.post(shop, "ann", "/unprotected", "", "{\"name\":\"jam\"}")
                            .statusCode())
                    .isEqualTo(201);
        }
    }

    /** Any client can send such a request as often as it likes. */
    @Test
    void keyThatTheFilterDoesNotReadIsLoggedOncePerHandler() throws Exception {
        Logger logger = (Logger) LoggerFactory.getLogger(IdempotencyExceptionResolver.class);
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        try (ConfigurableApplicationContext shop = shop("--idempotency.http.off=/purchases/two")) {
            logger.setLevel(Level.WARN);
            logger.addAppender(log);
            for (String key : new String[] {"\"l-1\"", "\"l-2\""}) {
                assertThat(StartedShop.post(shop, "ann", "/purchases/two", key, "{\"name\":\"jam\"}")
                                .body())
                        .contains("#not-started");
            }
        } finally {
            logger.detachAppender(log);
            logger.setLevel(null);
        }
        assertThat(log.list)
                .singleElement()
                .satisfies(event -> assertThat(event.getFormattedMessage()).contains("buy", "the route is off"));
    }

    private static ConfigurableApplicationContext shop(String... properties) {
        List<String> all = new ArrayList<>(List.of(
                "--server.port=0",
                "--spring.main.banner-mode=off",
                "--logging.level.root=OFF",
                "--spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1",
                "--spring.jpa.hibernate.ddl-auto=create",
                "--spring.flyway.enabled=false",
                "--spring.liquibase.enabled=false",
                "--idempotency.create-table=true",
                "--idempotency.http.required=/purchases,/forgotten"));
        all.addAll(List.of(properties));
        return SpringApplication.run(Shop.class, all.toArray(String[]::new));
    }
}
