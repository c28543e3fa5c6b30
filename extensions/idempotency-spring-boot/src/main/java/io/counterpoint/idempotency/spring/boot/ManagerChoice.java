package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.spring.SpringIdempotencyStore;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/** Chooses the transaction manager that binds the connections of the records' data source. */
final class ManagerChoice {

    private ManagerChoice() {}

    static PlatformTransactionManager of(DataSource dataSource, ListableBeanFactory beans) {
        Map<String, PlatformTransactionManager> all = beans.getBeansOfType(PlatformTransactionManager.class);
        if (all.isEmpty()) {
            // The work then has no transactions other than those of its operations.
            return new JdbcTransactionManager(dataSource);
        }
        Map<String, PlatformTransactionManager> fitting = new LinkedHashMap<>(all);
        fitting.values().removeIf(it -> !isOf(it, dataSource));
        if (fitting.isEmpty() && all.size() == 1) {
            // A custom manager. The store checks at startup whether it binds the connections.
            fitting = all;
        }
        PlatformTransactionManager primary =
                beans.getBeanProvider(PlatformTransactionManager.class).getIfUnique();
        if (fitting.size() == 1) {
            return fitting.values().iterator().next();
        }
        if (primary != null && fitting.containsValue(primary)) {
            return primary;
        }
        throw refused(fitting.isEmpty() ? "none belongs to" : "several belong to", all.keySet());
    }

    private static boolean isOf(PlatformTransactionManager manager, DataSource dataSource) {
        DataSource target =
                dataSource instanceof TransactionAwareDataSourceProxy proxy ? proxy.getTargetDataSource() : dataSource;
        return dataSourceOf(manager) == target;
    }

    private static @Nullable DataSource dataSourceOf(PlatformTransactionManager manager) {
        try {
            return SpringIdempotencyStore.dataSourceOf(manager);
        } catch (IllegalArgumentException unknown) {
            return null;
        }
    }

    private static IdempotencyStartException refused(String found, Set<String> all) {
        return new IdempotencyStartException(
                "Idempotency runs the work in a transaction of the application's transaction manager, but " + found
                        + " the records' data source. Transaction managers: " + all + ".",
                "Mark the transaction manager of the protected work with @Primary, or define a bean of type"
                        + " IdempotencyStore<Connection>: SpringIdempotencyStore.on(transactionManager). If the work"
                        + " writes to another DataSource, annotate that one with @IdempotencyDataSource.");
    }
}
