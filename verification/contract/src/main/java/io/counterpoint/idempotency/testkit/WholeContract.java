package io.counterpoint.idempotency.testkit;

import io.counterpoint.idempotency.spi.IdempotencyStore;
import org.junit.jupiter.api.Nested;

/**
 * Both contracts of a store: of its steps, and of the operations on them.
 *
 * @param <C> the handle of the store
 */
public abstract class WholeContract<C> extends IdempotencyStoreContract<C> {

    @Nested
    class Operations extends OperationsContract<C> {
        @Override
        protected IdempotencyStore<C> store() {
            return WholeContract.this.store();
        }

        @Override
        protected Domain<C> domain() {
            return WholeContract.this.domain();
        }
    }
}
