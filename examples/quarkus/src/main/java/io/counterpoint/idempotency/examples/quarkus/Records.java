package io.counterpoint.idempotency.examples.quarkus;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.jakarta.JakartaIdempotencyStore;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** Where records are kept. A real application has migrations for both tables. */
class Records {

    @Produces
    @Singleton
    Idempotency<Connection> idempotency(
            TransactionManager transactions, TransactionSynchronizationRegistry registry, DataSource dataSource) {
        return Idempotency.on(
                JakartaIdempotencyStore.on(transactions, registry, dataSource).createTableIfMissing());
    }

    void createTable(@Observes StartupEvent start, DataSource dataSource) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE IF NOT EXISTS chat_group"
                    + " (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL)");
        }
    }
}
