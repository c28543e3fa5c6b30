package io.counterpoint.idempotency.spring.bridge;

import io.counterpoint.idempotency.testing.bridge.BridgeNode;
import io.counterpoint.idempotency.testing.bridge.StoppingDataSource;
import jakarta.persistence.EntityManager;
import java.io.IOException;
import javax.sql.DataSource;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.transaction.support.TransactionTemplate;

/** A node of the service with Spring and JPA, of the version that its second argument names. */
@SpringBootApplication
public class PaymentsNode {

    @Bean
    static BeanPostProcessor stops() {
        return new BeanPostProcessor() {
            @Override
            public Object postProcessAfterInitialization(Object bean, String name) {
                return bean instanceof DataSource source ? StoppingDataSource.of(source) : bean;
            }
        };
    }

    @Bean
    OldPayments oldPayments(EntityManager entities, TransactionTemplate transactions) {
        return new OldPayments(entities, transactions);
    }

    @Bean
    @ConditionalOnProperty(name = "version", havingValue = "bridge")
    MigratedPayments migratedPayments(EntityManager entities) {
        return new MigratedPayments(entities);
    }

    @Bean
    @ConditionalOnProperty(name = "version", havingValue = "after")
    PaymentsAfterTheBridge paymentsAfterTheBridge(EntityManager entities) {
        return new PaymentsAfterTheBridge(entities);
    }

    /** Serves until its standard input ends. */
    public static void main(String[] arguments) throws IOException {
        ConfigurableApplicationContext context = new SpringApplicationBuilder(PaymentsNode.class)
                .web(WebApplicationType.NONE)
                .run(
                        "--version=" + arguments[1],
                        "--spring.main.banner-mode=off",
                        "--logging.level.root=ERROR",
                        "--spring.datasource.url=" + arguments[0],
                        "--spring.datasource.hikari.maximum-pool-size=20",
                        "--spring.jpa.hibernate.ddl-auto=none",
                        "--spring.flyway.enabled=false",
                        "--spring.liquibase.enabled=false",
                        "--idempotency.purge.enabled=false");
        BridgeNode.serve(
                switch (arguments[1]) {
                    case "old" -> context.getBean(OldPayments.class)::pay;
                    case "bridge" -> context.getBean(MigratedPayments.class)::pay;
                    default -> context.getBean(PaymentsAfterTheBridge.class)::pay;
                });
    }
}
