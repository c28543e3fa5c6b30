package io.counterpoint.idempotency.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.spring.boot.shop.Shop;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
