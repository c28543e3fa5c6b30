package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.CallObserver;
import io.counterpoint.idempotency.micrometer.ObservedCalls;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** Observes the calls of all operations, if the application has an observation registry. */
@AutoConfiguration(
        before = IdempotencyAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.actuate.autoconfigure.observation.ObservationAutoConfiguration",
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration"
        })
@ConditionalOnClass({ObservationRegistry.class, ObservedCalls.class})
@ConditionalOnBean(ObservationRegistry.class)
@ConditionalOnProperty(name = "idempotency.enabled", matchIfMissing = true)
public class IdempotencyObservationAutoConfiguration {

    /** Called by Spring. */
    public IdempotencyObservationAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean(CallObserver.class)
    ObservedCalls idempotencyObservedCalls(ObservationRegistry registry) {
        return ObservedCalls.in(registry);
    }
}
