package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spring.SpringIdempotencyStore;
import jakarta.persistence.EntityManagerFactory;
import java.sql.Connection;
import java.util.Arrays;
import java.util.Optional;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.transaction.jta.JtaTransactionManager;

/** The store over the application's data source, which Spring's transactions join. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnMissingBean({IdempotencyStore.class, Idempotency.class})
@ConditionalOnBean(DataSource.class)
class StoreConfiguration {

    @Bean
    RecordDatabase idempotencyRecordDatabase(
            @IdempotencyDataSource ObjectProvider<DataSource> marked,
            ObjectProvider<DataSource> all,
            ListableBeanFactory beans,
            IdempotencyProperties properties) {
        if (beans.getBeanNamesForType(JtaTransactionManager.class, true, false).length > 0) {
            throw new IdempotencyStartException(
                    "Idempotency commits the record and the work in one transaction of one database, and the transactions"
                            + " here are those of JTA.",
                    "Give the work a DataSource and a transaction manager of its own, without JTA, or set"
                            + " idempotency.enabled=false.");
        }
        DataSource chosen = Optional.ofNullable(marked.getIfAvailable()).orElseGet(all::getIfUnique);
        if (chosen == null) {
            throw new IdempotencyStartException(
                    "Idempotency keeps its records beside the domain's own tables, and there are several data sources: "
                            + Arrays.toString(beans.getBeanNamesForType(DataSource.class)) + ".",
                    "Mark the one that the work writes to with @IdempotencyDataSource, or with @Primary.");
        }
        return new RecordDatabase(chosen, properties);
    }

    @Bean
    IdempotencyStore<Connection> idempotencyStore(
            RecordDatabase idempotencyRecordDatabase, ObjectProvider<JoiningFactories> factories) {
        SpringIdempotencyStore store = idempotencyRecordDatabase.store();
        JoiningFactories joining = factories.getIfAvailable();
        return idempotencyRecordDatabase.used(joining == null ? store : joining.join(store));
    }

    @Bean
    @Lazy(false)
    TableAtStart idempotencyTableAtStart(RecordDatabase idempotencyRecordDatabase) {
        return new TableAtStart(idempotencyRecordDatabase);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(
            name = {"jakarta.persistence.EntityManagerFactory", "org.springframework.orm.jpa.EntityManagerFactoryInfo"})
    @ConditionalOnBean(type = "jakarta.persistence.EntityManagerFactory")
    static class Jpa {
        @Bean
        JoiningFactories idempotencyJoiningFactories(
                RecordDatabase idempotencyRecordDatabase, ObjectProvider<EntityManagerFactory> factories) {
            return new JoiningFactories(
                    idempotencyRecordDatabase.dataSource(),
                    factories.orderedStream().toList());
        }
    }
}
