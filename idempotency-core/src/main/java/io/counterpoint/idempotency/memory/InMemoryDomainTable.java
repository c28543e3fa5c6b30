package io.counterpoint.idempotency.memory;

import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Duplicate;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.DomainTable;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.ForwardingRecordSteps;
import io.counterpoint.idempotency.spi.ForwardingStore;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.WorkScope;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A table of the domain in memory, for unit tests of use cases whose record is a row of the domain. A row has a key and a
 * request; other columns are not kept. Only transactions of its store see the rows. A preview: it may change in any version.
 */
public final class InMemoryDomainTable implements DomainTable<Transaction> {

    private final IdempotencyStore<Transaction> store;

    /**
     * A table whose rows are records of a store.
     *
     * @param store the store in memory, or a decorator of it
     */
    public InMemoryDomainTable(IdempotencyStore<Transaction> store) {
        this.store = store;
    }

    @Override
    public IdempotencyStore<Transaction> inserting(Map<String, ? extends @Nullable Object> columns) {
        return new Rows(store);
    }

    @Override
    public boolean comparesRequests() {
        return true;
    }

    private static final class Rows extends ForwardingStore<Transaction> {
        Rows(IdempotencyStore<Transaction> store) {
            super(store);
        }

        @Override
        protected Session<Transaction> decorate(Session<Transaction> opened) {
            return new ForwardingSession<>(opened) {
                @Override
                public <T> T inTransaction(
                        BiFunction<? super RecordSteps, ? super WorkScope<Transaction>, ? extends T> body) {
                    return session.inTransaction((steps, scope) -> body.apply(new Inserting(steps), scope));
                }
            };
        }
    }

    private static final class Inserting extends ForwardingRecordSteps {
        Inserting(RecordSteps steps) {
            super(steps);
        }

        @Override
        public Optional<IdempotencyRecord> claim(
                IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
            if (real.claim(DomainTable.recordOf(record.key(), record.fingerprint()), retention, lockWait, durability)
                    .isPresent()) {
                throw new Duplicate(record.key());
            }
            return Optional.empty();
        }
    }
}
