package io.counterpoint.idempotency.trial;

import io.counterpoint.idempotency.jdbc.AllReadsTogether;
import io.counterpoint.idempotency.jdbc.Isolation;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import javax.sql.DataSource;
import org.jdbi.v3.core.Jdbi;

/** From what the JDBC store is made, and how. */
enum MadeByJdbc implements Made {
    FROM_DATA_SOURCE,
    FROM_JDBI,
    READING_TOGETHER,
    FOR_CONNECTIONS,
    WITH_ISOLATION;

    @Override
    public IdempotencyStore<Domain> in(TestedDatabase database, DataSource source) {
        return switch (this) {
            case FROM_DATA_SOURCE -> database.store(source).checkTable().mapped(Domain.OfHandle::new);
            case FROM_JDBI -> database.store(Jdbi.create(source)).checkTable().mapped(Domain.OfHandle::new);
            case READING_TOGETHER ->
                AllReadsTogether.of(database.store(source).checkTable()).mapped(Domain.OfHandle::new);
            case FOR_CONNECTIONS -> database.plain(source).checkTable().mapped(Domain.OfConnection::new);
            case WITH_ISOLATION ->
                database.store(Jdbi.create(source)).checkTable().toBuilder()
                        .isolation(Isolation.REPEATABLE_READ)
                        .build()
                        .mapped(Domain.OfHandle::new);
        };
    }

    /** The others differ from the store of a data source in few calls. */
    @Override
    public boolean isEnumerated() {
        return this != FOR_CONNECTIONS && this != WITH_ISOLATION;
    }

    @Override
    public boolean hasCallbacks() {
        return this != FOR_CONNECTIONS;
    }
}
