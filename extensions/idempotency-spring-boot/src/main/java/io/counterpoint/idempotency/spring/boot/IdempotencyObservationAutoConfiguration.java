package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.micrometer.ObservedCalls;
import io.counterpoint.idempotency.spring.annotation.CallObserver;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** Observes the calls of annotated methods, where the application has a registry of observations. */
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

    /** For Spring. */
    public IdempotencyObservationAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    ObservedCalls idempotencyObservedCalls(ObservationRegistry registry) {
        return ObservedCalls.in(registry);
    }

    @Bean
    @ConditionalOnMissingBean
    CallObserver idempotencyCallObserver(ObservedCalls observed) {
        return (operation, call) -> observed.observe(operation, call::call);
    }

    @Bean
    ClockDecorator idempotencyObservedClock(ObservedCalls observed) {
        return observed::clock;
    }
}
