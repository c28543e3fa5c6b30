package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.jdbc.CoalescingStore;
import io.counterpoint.idempotency.jdbc.JdbcStoreBuilder;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spring.SpringIdempotencyStore;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.transaction.PlatformTransactionManager;

/** The database of the records and the store in it, as configured by the properties. */
final class RecordDatabase {

    private static final String TABLE = "If the table is missing: with Flyway, set"
            + " spring.flyway.locations=classpath:db/migration,classpath:db/idempotency/{vendor}; with Liquibase,"
            + " include classpath:db/idempotency/changelog.xml; otherwise run the file named above. For a"
            + " demonstration, set idempotency.create-table=true.";

    private static final String DATABASE =
            "If the work writes to another DataSource, annotate that one with @IdempotencyDataSource. To start"
                    + " without this library, set idempotency.enabled=false.";

    private final DataSource dataSource;
    private final PlatformTransactionManager manager;
    private final IdempotencyProperties properties;
    private final SpringIdempotencyStore store;

    RecordDatabase(DataSource dataSource, PlatformTransactionManager manager, IdempotencyProperties properties) {
        this.dataSource = ownConnectionsOf(dataSource);
        this.manager = manager;
        this.properties = properties;
        SpringIdempotencyStore made = SpringIdempotencyStore.on(manager, dataSource, this::set);
        this.store = properties.isolation() == null ? made : made.isolation(properties.isolation());
    }

    /** The store unwraps it too: such a proxy gives out the connection of the caller's transaction. */
    private static DataSource ownConnectionsOf(DataSource any) {
        DataSource target = any instanceof TransactionAwareDataSourceProxy proxy ? proxy.getTargetDataSource() : null;
        return target == null ? any : ownConnectionsOf(target);
    }

    PlatformTransactionManager manager() {
        return manager;
    }

    DataSource dataSource() {
        return dataSource;
    }

    IdempotencyProperties properties() {
        return properties;
    }

    SpringIdempotencyStore store() {
        return store;
    }

    private void set(JdbcStoreBuilder<?> options) {
        options.table(properties.table())
                .durableClaims(properties.durableClaims())
                .durableReplays(properties.durableReplays())
                .turnAcrossProcesses(properties.turnAcrossProcesses());
    }

    /** Returns the store as used by operations. */
    IdempotencyStore<Connection> used() {
        if (!properties.coalescedReads()) {
            return store;
        }
        requireOneDatabase(dataSource);
        return CoalescingStore.of(store, () -> "one");
    }

    /** A caller could otherwise be answered from another caller's database. */
    private static void requireOneDatabase(DataSource target) {
        boolean routes;
        try {
            routes = target.isWrapperFor(AbstractRoutingDataSource.class);
        } catch (SQLException unknown) {
            routes = false;
        }
        if (routes) {
            throw new IdempotencyStartException(
                    "Idempotency cannot coalesce reads (idempotency.coalesced-reads=true), because the DataSource"
                            + " chooses a database by the calling thread.",
                    "Remove the property, or define a bean of type IdempotencyStore<Connection>: a CoalescingStore"
                            + " that identifies the database of the calling thread.");
        }
    }

    /** Creates the table if configured to, and rejects one with which the promises cannot be kept. */
    void prepareTable() {
        try {
            if (properties.createTable()) {
                store.createTableIfMissing();
            } else if (properties.checkTable()) {
                store.checkTable();
            }
        } catch (IllegalStateException refused) {
            throw new IdempotencyStartException(
                    String.valueOf(refused.getMessage()), isDatabaseFit() ? TABLE : DATABASE, refused);
        } catch (RuntimeException thrown) {
            if (store.classify(thrown) != Fault.CONNECTION_LOST) {
                throw thrown;
            }
            throw new IdempotencyStartException(
                    "Idempotency could not check its table, because the DataSource did not respond (" + state(thrown)
                            + ").",
                    "Start the database first, or set idempotency.check-table=false to defer this to the first call.",
                    thrown);
        }
    }

    /** Whether the table was the reason for the rejection; the database has just responded. */
    private boolean isDatabaseFit() {
        try {
            Object unused = store.lockScope();
            return true;
        } catch (IllegalStateException unfit) {
            return false;
        }
    }

    /** Excludes the driver's own text, which may contain hosts and users. */
    private static String state(Throwable thrown) {
        Throwable cause = thrown.getCause();
        return cause instanceof SQLException sql ? "SQLSTATE " + sql.getSQLState() : "without an SQLSTATE";
    }
}
