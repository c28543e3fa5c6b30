package io.counterpoint.idempotency.trial;

import io.counterpoint.idempotency.jdbc.Isolation;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import javax.sql.DataSource;
import org.jdbi.v3.core.Jdbi;

/** From what the store is made, and how. */
enum MadeOnMariaDb implements Made {
    FROM_JDBI,
    FOR_CONNECTIONS,
    WITH_ISOLATION;

    @Override
    public IdempotencyStore<Domain> in(TestedDatabase database, DataSource source) {
        return switch (this) {
            case FROM_JDBI -> database.store(Jdbi.create(source)).checkTable().mapped(Domain.OfHandle::new);
            case FOR_CONNECTIONS -> database.plain(source).checkTable().mapped(Domain.OfConnection::new);
            case WITH_ISOLATION ->
                database.store(Jdbi.create(source)).checkTable().toBuilder()
                        .isolation(Isolation.READ_COMMITTED)
                        .build()
                        .mapped(Domain.OfHandle::new);
        };
    }

    @Override
    public boolean hasCallbacks() {
        return this != FOR_CONNECTIONS;
    }
}
