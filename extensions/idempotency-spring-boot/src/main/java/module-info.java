/** Auto-configuration for Spring Boot, and the annotation Idempotent. */
module io.counterpoint.idempotency.spring.boot {
    requires transitive io.counterpoint.idempotency;
    requires transitive io.counterpoint.idempotency.annotation;
    requires io.counterpoint.idempotency.admin;
    requires transitive io.counterpoint.idempotency.jdbc;
    requires transitive io.counterpoint.idempotency.spring;
    requires transitive spring.boot;
    requires transitive spring.boot.autoconfigure;
    requires transitive spring.context;
    requires java.sql;
    requires org.slf4j;
    requires spring.aop;
    requires spring.beans;
    requires spring.core;
    requires spring.expression;
    requires spring.jdbc;
    requires spring.tx;
    requires static io.counterpoint.idempotency.servlet;
    requires static io.counterpoint.idempotency.jackson;
    requires static io.counterpoint.idempotency.jackson3;
    requires static io.counterpoint.idempotency.micrometer;
    requires static io.swagger.v3.oas.models;
    requires static jakarta.persistence;
    requires static jakarta.servlet;
    requires static micrometer.core;
    requires static micrometer.observation;
    requires static org.jspecify;
    requires static org.springdoc.openapi.common;
    requires static spring.boot.actuator;
    requires static spring.boot.actuator.autoconfigure;
    requires static spring.boot.health;
    requires static spring.orm;
    requires static spring.security.core;
    requires static spring.web;
    requires static spring.webmvc;

    exports io.counterpoint.idempotency.spring.annotation;
    exports io.counterpoint.idempotency.spring.boot;

    opens io.counterpoint.idempotency.spring.annotation;
    opens io.counterpoint.idempotency.spring.boot;
}
