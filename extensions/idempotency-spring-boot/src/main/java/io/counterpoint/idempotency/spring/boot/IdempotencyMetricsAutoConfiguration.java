package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.micrometer.IdempotencyMetrics;
import io.counterpoint.idempotency.spi.Characters;
import io.counterpoint.idempotency.spring.annotation.DuplicateCounter;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** Counts what happens to keys, if the application has a meter registry. */
@AutoConfiguration(
        before = IdempotencyAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnClass({MeterRegistry.class, IdempotencyMetrics.class})
@ConditionalOnBean(MeterRegistry.class)
@ConditionalOnProperty(name = "idempotency.enabled", matchIfMissing = true)
@EnableConfigurationProperties(IdempotencyProperties.class)
public class IdempotencyMetricsAutoConfiguration {

    /** Called by Spring. */
    public IdempotencyMetricsAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    IdempotencyMetrics idempotencyMetrics(MeterRegistry registry) {
        return IdempotencyMetrics.in(registry);
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnProperty(name = "idempotency.mode", havingValue = "count")
    DuplicateCounter idempotencyDuplicateCounter(IdempotencyMetrics metrics, IdempotencyProperties properties) {
        return new DuplicateCounter(
                (operation, answer) -> metrics.counted(operation, Characters.lowerCaseAscii(answer.name())),
                properties.retention());
    }
}
