package io.counterpoint.idempotency.spi;

import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A table of the domain whose rows are the records of an operation. Each row has the key of the attempt that inserted it, in
 * a column with a unique index, so that a second insert waits for the first one's transaction and is refused.
 *
 * <p>A preview: it may change in any version.
 *
 * @param <C> the handle that domain code gets
 */
public interface DomainTable<C> {

    /** The token of all records: a row names no leader. */
    UUID TOKEN = new UUID(0, 0);

    /**
     * A store for one call, which inserts one row. {@link RecordSteps#claim} inserts it, with the key, and never finds a
     * record: it throws where the insert is refused, whatever for. {@link IdempotencyStore#read} finds the row of a key as a
     * success without a result, under {@link #TOKEN}. {@link RecordSteps#lock} and {@link RecordSteps#confirm} together make
     * a row as durable as a commit. Other changes are not supported.
     *
     * @param columns the other columns of the row, with their values
     * @return the store
     * @throws IllegalArgumentException if they name the columns of the key or of the request, or are no plain identifiers
     */
    IdempotencyStore<C> inserting(Map<String, ? extends @Nullable Object> columns);

    /**
     * Whether a column keeps the fingerprint of the request.
     *
     * @return false if two requests under one key look alike
     */
    boolean comparesRequests();

    /**
     * The same table, through a decorator of the store of each call.
     *
     * @param decorator makes the store that the engine gets
     * @return the table
     */
    default DomainTable<C> through(UnaryOperator<IdempotencyStore<C>> decorator) {
        DomainTable<C> table = this;
        return new DomainTable<>() {
            @Override
            public IdempotencyStore<C> inserting(Map<String, ? extends @Nullable Object> columns) {
                return decorator.apply(table.inserting(columns));
            }

            @Override
            public boolean comparesRequests() {
                return table.comparesRequests();
            }

            @Override
            public String toString() {
                return table.toString();
            }
        };
    }

    /**
     * The record that a row stands for.
     *
     * @param key the key of the row
     * @param request the fingerprint of its request; that of no parts where it has none
     * @return a success without a result
     */
    static Succeeded recordOf(IdempotencyKey key, Fingerprint request) {
        return new Succeeded(key, Protocol.SINGLE_TRANSACTION, TOKEN, request, Optional.empty());
    }
}
