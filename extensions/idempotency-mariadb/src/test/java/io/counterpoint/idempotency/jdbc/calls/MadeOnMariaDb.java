package io.counterpoint.idempotency.jdbc.calls;

import io.counterpoint.idempotency.spi.IdempotencyStore;
import javax.sql.DataSource;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;

/** From what the store is made, and how. */
enum MadeOnMariaDb implements Made {
    FROM_JDBI,
    FOR_CONNECTIONS,
    WITH_ISOLATION;

    @Override
    public IdempotencyStore<Domain> in(TestedDatabase database, DataSource source) {
        return switch (this) {
            case FROM_JDBI -> database.store(Jdbi.create(source)).checkTable().mapped(Domain.OfHandle::new);
            case FOR_CONNECTIONS ->
                database.store(source).checkTable().connections().mapped(Domain.OfConnection::new);
            case WITH_ISOLATION ->
                database.store(Jdbi.create(source))
                        .checkTable()
                        .withIsolation(TransactionIsolationLevel.READ_COMMITTED)
                        .mapped(Domain.OfHandle::new);
        };
    }

    @Override
    public boolean hasCallbacks() {
        return this != FOR_CONNECTIONS;
    }
}
