package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.annotation.ResultCodecs;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Strict JSON for results: by Jackson 3 where it is there, else by Jackson 2. Both store the same bytes. */
@Configuration(proxyBeanMethods = false)
class ResultCodecsConfiguration {

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(
            name = {"tools.jackson.databind.json.JsonMapper", "io.counterpoint.idempotency.jackson3.JsonCodecs"})
    static class Jackson3 {
        @Bean
        @ConditionalOnMissingBean
        ResultCodecs idempotencyResultCodecs() {
            var codecs = io.counterpoint.idempotency.jackson3.JsonCodecs.strict();
            return (operation, result) -> codecs.of(result);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(
            name = {"com.fasterxml.jackson.databind.json.JsonMapper", "io.counterpoint.idempotency.jackson.JsonCodecs"})
    static class Jackson2 {
        @Bean
        @ConditionalOnMissingBean
        ResultCodecs idempotencyResultCodecs() {
            var codecs = io.counterpoint.idempotency.jackson.JsonCodecs.strict();
            return (operation, result) -> codecs.of(result);
        }
    }
}
