package io.counterpoint.idempotency.peers;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DataSourceUtils;

/** Spring Boot applications for libraries; the starter configures data source, pool and transaction manager. */
final class SpringApplications {

    private SpringApplications() {}

    static ConfigurableApplicationContext start(String url, Work work, Class<?>... configurations) {
        return new SpringApplicationBuilder(configurations)
                .sources(Payments.class)
                .web(WebApplicationType.NONE)
                .logStartupInfo(false)
                .bannerMode(Banner.Mode.OFF)
                .properties(Map.of(
                        "spring.datasource.url",
                        url,
                        "spring.datasource.hikari.maximum-pool-size",
                        Worker.POOL,
                        "spring.datasource.hikari.minimum-idle",
                        0,
                        "spring.datasource.hikari.connection-timeout",
                        Worker.CONNECTION_WAIT_MILLIS))
                .initializers(context -> context.getBeanFactory().registerSingleton("work", work))
                .run();
    }

    /** The work, on the connection of the transaction that the library has begun. */
    interface Booking {
        String book(String payment, String key, String request) throws SQLException;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Payments {

        @Bean
        Booking booking(Work work, DataSource dataSource) {
            return (payment, key, request) -> {
                Connection connection = DataSourceUtils.getConnection(dataSource);
                try {
                    return work.book(connection, payment, key, request);
                } finally {
                    DataSourceUtils.releaseConnection(connection, dataSource);
                }
            };
        }
    }
}
