package io.counterpoint.idempotency.jdbc.session;

import java.sql.SQLException;
import java.util.function.Supplier;

/**
 * A step that is sent in the same round trip as the commit.
 *
 * @param failed what its failure is called in messages; made where it fails, since a key's name is a digest
 * @param sending sends both
 * @param otherwise makes what is thrown if the database has refused the step
 */
record LastStep(Supplier<String> failed, Sending sending, Supplier<? extends RuntimeException> otherwise) {

    /** Sends step and commit. */
    interface Sending {
        /** Returns false if the database has refused the step. */
        boolean isDone() throws SQLException;
    }

    void send() throws SQLException {
        if (!sending.isDone()) {
            throw otherwise.get();
        }
    }
}
