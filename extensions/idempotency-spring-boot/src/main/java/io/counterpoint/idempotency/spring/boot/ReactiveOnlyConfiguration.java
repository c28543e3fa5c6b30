package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import javax.sql.DataSource;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/** Rejects an application whose only database access is R2DBC. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBean(type = "io.r2dbc.spi.ConnectionFactory")
@ConditionalOnMissingBean({DataSource.class, IdempotencyStore.class, Idempotency.class})
class ReactiveOnlyConfiguration {

    @Bean
    @Lazy(false)
    SmartInitializingSingleton idempotencyNeedsJdbc() {
        return () -> {
            throw new IdempotencyStartException(
                    "Idempotency stores its records through JDBC, but this application reaches its database only"
                            + " through R2DBC.",
                    "Add a DataSource and use it for the protected work, or set idempotency.enabled=false.");
        };
    }
}
