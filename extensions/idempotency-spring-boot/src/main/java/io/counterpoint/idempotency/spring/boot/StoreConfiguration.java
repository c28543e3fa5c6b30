package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spring.annotation.OperationManager;
import java.sql.Connection;
import java.util.Arrays;
import java.util.Optional;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.transaction.jta.JtaTransactionManager;

/** The store on the application's data source and its transaction manager. */
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
                    "Idempotency commits the record and the work in one transaction of one database, but this"
                            + " application uses JTA transactions.",
                    "Give the work a DataSource and a transaction manager of its own without JTA, or set"
                            + " idempotency.enabled=false.");
        }
        DataSource chosen = Optional.ofNullable(marked.getIfAvailable()).orElseGet(all::getIfUnique);
        if (chosen == null) {
            throw new IdempotencyStartException(
                    "Idempotency stores its records next to the domain's own tables, but there are several data"
                            + " sources: " + Arrays.toString(beans.getBeanNamesForType(DataSource.class)) + ".",
                    "Annotate the one that the work writes to with @IdempotencyDataSource or @Primary.");
        }
        return new RecordDatabase(chosen, ManagerChoice.of(chosen, beans), properties);
    }

    @Bean
    IdempotencyStore<Connection> idempotencyStore(RecordDatabase idempotencyRecordDatabase) {
        return idempotencyRecordDatabase.used();
    }

    @Bean
    OperationManager idempotencyOperationManager(RecordDatabase idempotencyRecordDatabase) {
        return new OperationManager(idempotencyRecordDatabase.manager());
    }

    @Bean
    @Lazy(false)
    TableAtStart idempotencyTableAtStart(RecordDatabase idempotencyRecordDatabase) {
        return new TableAtStart(idempotencyRecordDatabase);
    }
}
