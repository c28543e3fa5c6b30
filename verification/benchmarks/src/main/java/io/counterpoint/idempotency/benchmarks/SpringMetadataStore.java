package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.benchmarks.Variant.Action;
import io.counterpoint.idempotency.benchmarks.Variant.Answer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.UUID;
import org.springframework.integration.jdbc.metadata.JdbcMetadataStore;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionTemplate;

/** Spring Integration's metadata store and idempotent receiver, in one transaction with the domain or before it. */
final class SpringMetadataStore {

    /** As in {@code schema-postgresql.sql} of Spring Integration. */
    private static final String SCHEMA = "CREATE TABLE IF NOT EXISTS INT_METADATA_STORE (METADATA_KEY VARCHAR(255)"
            + " NOT NULL, METADATA_VALUE VARCHAR(4000), REGION VARCHAR(100) NOT NULL,"
            + " CONSTRAINT INT_METADATA_STORE_PK PRIMARY KEY (METADATA_KEY, REGION))";

    private final BenchmarkDatabase database;
    private final JdbcMetadataStore store;
    private final TransactionTemplate transaction;

    SpringMetadataStore(BenchmarkDatabase database) {
        this.database = database;
        database.execute(SCHEMA);
        this.store = new JdbcMetadataStore(database.pool());
        store.afterPropertiesSet();
        store.start();
        this.transaction = new TransactionTemplate(new DataSourceTransactionManager(database.pool()));
    }

    /** The key commits before the domain, as in a flow without a transaction. */
    Action createGroupAfterwards() {
        return key -> {
            UUID id = Domain.newGroupId();
            if (store.putIfAbsent(key, id.toString()) != null) {
                return Answer.REPLAYED;
            }
            transaction.executeWithoutResult(status -> insert(id));
            return Answer.EXECUTED;
        };
    }

    Action createGroup() {
        return key -> Objects.requireNonNull(transaction.execute(status -> {
            UUID id = Domain.newGroupId();
            if (store.putIfAbsent(key, id.toString()) != null) {
                return Answer.REPLAYED;
            }
            insert(id);
            return Answer.EXECUTED;
        }));
    }

    private void insert(UUID id) {
        Connection connection = DataSourceUtils.getConnection(database.pool());
        try {
            Domain.createGroup(connection, id);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        } finally {
            DataSourceUtils.releaseConnection(connection, database.pool());
        }
    }
}
