package io.counterpoint.idempotency.spring;

import java.util.Optional;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.util.ClassUtils;

/** The data source of a transaction manager. Spring's types for Jakarta Persistence may be absent. */
final class ManagersDataSource {

    private ManagersDataSource() {}

    static Optional<DataSource> of(PlatformTransactionManager manager) {
        if (manager instanceof DataSourceTransactionManager jdbc) {
            return Optional.ofNullable(jdbc.getDataSource());
        }
        return ClassUtils.isPresent(
                        "org.springframework.orm.jpa.JpaTransactionManager", ManagersDataSource.class.getClassLoader())
                ? OfJpa.of(manager)
                : Optional.empty();
    }

    private static final class OfJpa {
        private OfJpa() {}

        static Optional<DataSource> of(PlatformTransactionManager manager) {
            return manager instanceof JpaTransactionManager jpa
                    ? Optional.ofNullable(jpa.getDataSource())
                    : Optional.empty();
        }
    }
}
