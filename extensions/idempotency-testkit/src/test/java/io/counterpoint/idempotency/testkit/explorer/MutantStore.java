package io.counterpoint.idempotency.testkit.explorer;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.Claim;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.StoreTransaction;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** Passes everything on. A mutant overrides the step in which it is wrong. */
class MutantStore implements IdempotencyStore<Transaction> {

    final IdempotencyStore<Transaction> store;

    MutantStore(IdempotencyStore<Transaction> store) {
        this.store = store;
    }

    /** A mutant of steps. */
    static UnaryOperator<IdempotencyStore<Transaction>> of(UnaryOperator<StoreTransaction<Transaction>> steps) {
        return store -> new MutantStore(store) {
            @Override
            StoreTransaction<Transaction> steps(
                    StoreTransaction<Transaction> real, Session<Transaction> session, boolean alone) {
                return steps.apply(real);
            }
        };
    }

    StoreTransaction<Transaction> steps(
            StoreTransaction<Transaction> real, Session<Transaction> session, boolean alone) {
        return real;
    }

    @Override
    public Session<Transaction> open() {
        Session<Transaction> session = store.open();
        return new Session<>() {
            @Override
            public <T> T alone(Function<? super StoreTransaction<Transaction>, ? extends T> step) {
                return session.alone(real -> step.apply(steps(real, session, true)));
            }

            @Override
            public <T> T inTransaction(Function<? super StoreTransaction<Transaction>, ? extends T> body) {
                T answer = session.inTransaction(real -> body.apply(steps(real, session, false)));
                committed(session);
                return answer;
            }

            @Override
            public void close() {
                session.close();
            }
        };
    }

    void committed(Session<Transaction> session) {}

    @Override
    public Fault classify(Throwable thrown) {
        return store.classify(thrown);
    }

    @Override
    public int purgeExpired(int batch) {
        return store.purgeExpired(batch);
    }

    /** Passes every step on. */
    static class Steps implements StoreTransaction<Transaction> {
        final StoreTransaction<Transaction> real;

        Steps(StoreTransaction<Transaction> real) {
            this.real = real;
        }

        @Override
        public Transaction handle() {
            return real.handle();
        }

        @Override
        public Claim claim(IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
            return real.claim(record, retention, lockWait, durability);
        }

        @Override
        public Optional<IdempotencyRecord> read(IdempotencyKey key) {
            return real.read(key);
        }

        @Override
        public Optional<IdempotencyRecord> lock(IdempotencyKey key, Duration lockWait) {
            return real.lock(key, lockWait);
        }

        @Override
        public boolean succeed(IdempotencyKey key, UUID token, Optional<Payload> result) {
            return real.succeed(key, token, result);
        }

        @Override
        public boolean fail(IdempotencyKey key, UUID token, Failure failure) {
            return real.fail(key, token, failure);
        }

        @Override
        public boolean release(IdempotencyKey key, UUID token) {
            return real.release(key, token);
        }

        @Override
        public boolean replaceToken(IdempotencyKey key, UUID token, UUID fresh) {
            return real.replaceToken(key, token, fresh);
        }

        /** The token that the record has now: what a step writes that does not look whose record it is. */
        UUID anyToken(IdempotencyKey key) {
            return real.read(key).map(IdempotencyRecord::token).orElse(new UUID(0, 0));
        }
    }
}
