package io.counterpoint.idempotency.server;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import javax.sql.DataSource;

/** What Quarkus gives by itself, and WildFly by name. */
@ApplicationScoped
class ServerBeans {

    @Produces
    @Resource(lookup = "java:jboss/datasources/groups")
    private DataSource dataSource;
}
