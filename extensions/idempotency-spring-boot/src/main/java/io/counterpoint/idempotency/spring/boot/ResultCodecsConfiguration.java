package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.annotation.ResultCodecs;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

/** Strict JSON for results, with Jackson 3 if present, otherwise with Jackson 2. Both store the same bytes. */
@Configuration(proxyBeanMethods = false)
class ResultCodecsConfiguration {

    @Order(1)
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

    /** Other libraries bring Jackson 2 without its modules. */
    @Order(2)
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(
            name = {
                "com.fasterxml.jackson.databind.json.JsonMapper",
                "com.fasterxml.jackson.datatype.jdk8.Jdk8Module",
                "com.fasterxml.jackson.datatype.jsr310.JavaTimeModule",
                "io.counterpoint.idempotency.jackson.JsonCodecs"
            })
    static class Jackson2 {
        @Bean
        @ConditionalOnMissingBean
        ResultCodecs idempotencyResultCodecs() {
            var codecs = io.counterpoint.idempotency.jackson.JsonCodecs.strict();
            return (operation, result) -> codecs.of(result);
        }
    }
}
