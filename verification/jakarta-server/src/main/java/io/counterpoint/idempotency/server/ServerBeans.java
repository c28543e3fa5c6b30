package io.counterpoint.idempotency.server;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.TransactionSynchronizationRegistry;
import javax.sql.DataSource;

/** What Quarkus gives by itself, and other servers by name. */
@ApplicationScoped
class ServerBeans {

    @Produces
    @Resource(lookup = "java:jboss/datasources/groups")
    private DataSource dataSource;

    @Produces
    @Resource(lookup = "java:jboss/TransactionManager")
    private TransactionManager transactions;

    @Produces
    @Resource(lookup = "java:comp/TransactionSynchronizationRegistry")
    private TransactionSynchronizationRegistry registry;
}
