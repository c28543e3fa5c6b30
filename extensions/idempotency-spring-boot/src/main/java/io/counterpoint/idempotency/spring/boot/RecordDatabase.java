package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.spring.boot.IdempotencyProperties.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;
import javax.sql.DataSource;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/**
 * The database of the records, as the properties have it.
 *
 * @param dataSource how to reach it
 * @param database whose statements it understands
 * @param properties the options of its store
 */
record RecordDatabase(DataSource dataSource, Database database, IdempotencyProperties properties) {

    static RecordDatabase of(DataSource dataSource, IdempotencyProperties properties) {
        Database named = properties.database();
        return new RecordDatabase(dataSource, named == null ? databaseOf(dataSource) : named, properties);
    }

    private static Database databaseOf(DataSource dataSource) {
        String product;
        try (Connection connection = dataSource.getConnection()) {
            product = connection.getMetaData().getDatabaseProductName();
        } catch (SQLException thrown) {
            throw new IdempotencyStartException(
                    "Idempotency asked the DataSource which database it is, and got no answer (SQLSTATE "
                            + thrown.getSQLState() + ").",
                    "Start the database first, or name it with idempotency.database.",
                    thrown);
        }
        return switch (product.toLowerCase(Locale.ROOT)) {
            case "h2" -> Database.H2;
            case "postgresql" -> Database.POSTGRESQL;
            default ->
                throw new IdempotencyStartException(
                        "Idempotency has statements for H2 and PostgreSQL, and the DataSource is of " + product + ".",
                        "If it understands one of them, name that one with idempotency.database. Else define a bean of type"
                                + " IdempotencyStore<Connection> with a dialect of your own.");
        };
    }

    /** The store over a data source of this database, with its options. */
    JdbiIdempotencyStore storeIn(DataSource target) {
        JdbiIdempotencyStore store = JdbiIdempotencyStore.on(target);
        store = store.withTable(properties.table());
        if (properties.isolation() != null) {
            store = store.withIsolation(
                    TransactionIsolationLevel.valueOf(properties.isolation().name()));
        }
        if (properties.durableClaims()) {
            store = store.withDurableClaims();
        }
        if (properties.coalescedReads()) {
            requireOneDatabase(target);
            store = store.withCoalescedReads(() -> "one");
        }
        return store;
    }

    /** A caller would be answered from the database of another one. */
    private static void requireOneDatabase(DataSource target) {
        boolean routes;
        try {
            routes = target.isWrapperFor(AbstractRoutingDataSource.class);
        } catch (SQLException unknown) {
            routes = false;
        }
        if (routes) {
            throw new IdempotencyStartException(
                    "Idempotency is to coalesce reads (idempotency.coalesced-reads=true), and the DataSource picks a"
                            + " database by the calling thread.",
                    "Remove the property, or define a bean of type IdempotencyStore<Connection> whose"
                            + " withCoalescedReads names the database of the calling thread.");
        }
    }

    /** Creates the table if asked to, and refuses one on which the promises cannot rest. */
    void prepareTable() {
        JdbiIdempotencyStore store = storeIn(dataSource);
        try {
            if (properties.createTable()) {
                store.createTableIfMissing();
            } else if (properties.checkTable()) {
                store.checkTable();
            }
        } catch (IllegalStateException refused) {
            String vendor = database.name().toLowerCase(Locale.ROOT);
            throw new IdempotencyStartException(
                    String.valueOf(refused.getMessage()),
                    "With Flyway, set spring.flyway.locations=classpath:db/migration,classpath:db/idempotency/{vendor}."
                            + " With Liquibase, include classpath:db/idempotency/changelog.xml. Else run the file"
                            + " io/counterpoint/idempotency/jdbc/" + vendor + ".sql. For a demonstration, set"
                            + " idempotency.create-table=true.",
                    refused);
        }
    }
}
