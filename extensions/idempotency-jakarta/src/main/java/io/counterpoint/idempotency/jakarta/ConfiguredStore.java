package io.counterpoint.idempotency.jakarta;

import io.counterpoint.idempotency.jdbc.CoalescingStore;
import io.counterpoint.idempotency.jdbc.JdbcStoreBuilder;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.sql.Connection;
import java.util.Optional;
import javax.sql.DataSource;

/** The store of an application that defines none: on its data source, with the same settings as with Spring. */
@Dependent
class ConfiguredStore {

    private final Instance<TransactionManager> transactions;
    private final Instance<TransactionSynchronizationRegistry> registry;
    private final Instance<DataSource> dataSource;

    @Inject
    ConfiguredStore(
            Instance<TransactionManager> transactions,
            Instance<TransactionSynchronizationRegistry> registry,
            Instance<DataSource> dataSource) {
        this.transactions = transactions;
        this.registry = registry;
        this.dataSource = dataSource;
    }

    /** Returns empty if the container does not provide everything that is needed. */
    Optional<IdempotencyStore<Connection>> find() {
        if (!transactions.isResolvable() || !registry.isResolvable() || !dataSource.isResolvable()) {
            return Optional.empty();
        }
        JakartaIdempotencyStore store = JakartaIdempotencyStore.on(
                transactions.get(), registry.get(), dataSource.get(), TransactionView.narayana(), ConfiguredStore::set);
        boolean coalesces = Settings.isSet("idempotency.coalesced-reads", false);
        return Optional.of(coalesces ? CoalescingStore.of(ready(store), () -> "one") : ready(store));
    }

    /** Checked even if its table is created, because the pool may be unsuitable. */
    static JakartaIdempotencyStore ready(JakartaIdempotencyStore store) {
        if (Settings.isSet("idempotency.create-table", false)) {
            store.createTableIfMissing();
        }
        return Settings.isSet("idempotency.check-table", true) ? store.checkTable() : store;
    }

    private static void set(JdbcStoreBuilder<?> options) {
        Settings.of("idempotency.table").ifPresent(options::table);
        options.durableClaims(Settings.isSet("idempotency.durable-claims", false))
                .durableReplays(Settings.isSet("idempotency.durable-replays", false))
                .turnAcrossProcesses(Settings.isSet("idempotency.turn-across-processes", false));
    }
}
