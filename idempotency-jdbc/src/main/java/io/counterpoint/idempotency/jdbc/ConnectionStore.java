package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.jdbc.session.Connections.Borrowed;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.Session;
import java.sql.Connection;
import java.time.Duration;
import java.util.Optional;

/** The same store. Only the handle differs: the work gets the guarded connection. */
record ConnectionStore(JdbiIdempotencyStore store, Sessions sessions) implements IdempotencyStore<Connection> {

    @Override
    public Session<Connection> open(IdempotencyKey key) {
        return sessions.open(Borrowed::guard);
    }

    @Override
    public Session<Connection> openForClaim(IdempotencyKey key, Duration maxWait) {
        return sessions.openForClaim(key, maxWait, Borrowed::guard);
    }

    @Override
    public Optional<IdempotencyRecord> read(IdempotencyKey key) {
        return store.read(key);
    }

    @Override
    public Fault classify(Throwable thrown) {
        return store.classify(thrown);
    }

    @Override
    public Optional<Failure> describe(Throwable thrown) {
        return store.describe(thrown);
    }

    @Override
    public Optional<String> remedy(Throwable thrown) {
        return store.remedy(thrown);
    }

    @Override
    public boolean keepsEveryInsert() {
        return store.keepsEveryInsert();
    }

    @Override
    public boolean hasGlobalLocks() {
        return store.hasGlobalLocks();
    }

    @Override
    public int purgeExpired(int batch) {
        return store.purgeExpired(batch);
    }

    @Override
    public String toString() {
        return store.toString();
    }
}
