package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.micrometer.PendingRecords;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/**
 * Gauges of pending records, if the records are in the application's {@code DataSource} and it has a meter registry.
 */
@AutoConfiguration(
        after = IdempotencyAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnClass({MeterRegistry.class, PendingRecords.class})
@ConditionalOnBean({MeterRegistry.class, RecordDatabase.class})
@ConditionalOnProperty(name = "idempotency.metrics.pending", matchIfMissing = true)
public class PendingRecordsAutoConfiguration {

    /** Called by Spring. */
    public PendingRecordsAutoConfiguration() {}

    /** Spring Boot binds it to every registry. */
    @Bean
    @ConditionalOnMissingBean
    PendingRecords idempotencyPendingRecords(RecordDatabase database) {
        return PendingRecords.in(database.dataSource(), database.properties().table());
    }

    @Bean
    PendingRefresh idempotencyPendingRefresh(PendingRecords pending, IdempotencyProperties properties) {
        return new PendingRefresh(pending, properties.metrics().pendingInterval());
    }
}
