package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.jdbc.session.DatabaseErrors;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.Session;
import java.time.Duration;
import java.util.Optional;

/** What a store is, whatever its work sees of a connection. */
abstract class SqlStore<C> implements IdempotencyStore<C> {

    final Sessions<C> sessions;

    SqlStore(Sessions<C> sessions) {
        this.sessions = sessions;
    }

    /** How many groups have callers that read at this moment. */
    int groupsOfReads() {
        return sessions.groupsOfReads();
    }

    @Override
    public Session<C> open(IdempotencyKey key) {
        return sessions.open();
    }

    @Override
    public Session<C> openForClaim(IdempotencyKey key, Duration maxWait) {
        return sessions.openForClaim(key, maxWait);
    }

    @Override
    public Optional<IdempotencyRecord> read(IdempotencyKey key) {
        return sessions.read(key);
    }

    @Override
    public Fault classify(Throwable thrown) {
        return sessions.storeDialect().classify(thrown);
    }

    @Override
    public Optional<Failure> describe(Throwable thrown) {
        return DatabaseErrors.isOfDatabase(thrown)
                ? Optional.of(DatabaseErrors.describe(thrown, classify(thrown)))
                : Optional.empty();
    }

    @Override
    public Optional<String> remedy(Throwable thrown) {
        return sessions.storeDialect().known().flatMap(dialect -> DatabaseErrors.remedy(thrown, dialect));
    }

    @Override
    public boolean keepsEveryInsert() {
        return sessions.keepsEveryInsert();
    }

    @Override
    public boolean hasGlobalLocks() {
        return sessions.storeDialect().known().map(Dialect::hasGlobalLocks).orElse(true);
    }

    @Override
    public int purgeExpired(int batch) {
        return sessions.purge(batch);
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + "[" + sessions.storeDialect()
                + (sessions.isChecked() ? ", checked]" : ", not checked]");
    }
}
