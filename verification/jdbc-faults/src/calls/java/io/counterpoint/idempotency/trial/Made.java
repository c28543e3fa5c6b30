package io.counterpoint.idempotency.trial;

import io.counterpoint.idempotency.spi.IdempotencyStore;
import javax.sql.DataSource;

/** From what a store is made, and how. Its name is shown. */
interface Made {

    IdempotencyStore<Domain> in(TestedDatabase database, DataSource source);

    /** Whether all cases of it are run where all are asked for. */
    default boolean isEnumerated() {
        return true;
    }

    /**
     * Whether calls of that class are the framework's own. It begins the transaction before anybody else has the connection,
     * and cleans up after its end: what a failing driver leaves of that, such as autocommit, it leaves without us too.
     */
    default boolean isOfFramework(String caller) {
        return false;
    }

    /** Whether the work can register callbacks. */
    boolean hasCallbacks();
}
