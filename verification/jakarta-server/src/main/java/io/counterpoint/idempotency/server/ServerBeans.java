package io.counterpoint.idempotency.server;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import javax.sql.DataSource;

/** Makes the data source injectable. Quarkus does so by itself; WildFly only has it under a JNDI name. */
@ApplicationScoped
class ServerBeans {

    @Produces
    @Resource(lookup = "java:jboss/datasources/groups")
    private DataSource dataSource;
}
