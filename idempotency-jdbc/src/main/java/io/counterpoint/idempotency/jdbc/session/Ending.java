package io.counterpoint.idempotency.jdbc.session;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.jdbc.session.ManagedConnection.Ended;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.StoreException;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** How the last step of a transaction and its COMMIT are sent. If the step is rejected, nothing is committed. */
sealed interface Ending {

    Ended COMMITTED = new Ended(true, null, null);
    Ended REFUSED = new Ended(false, null, null);

    /** Returns the ending for a step that is sent before the commit, not together with it. */
    static Ending after(BooleanSupplier step, LentConnection<?> lent) {
        ManagedConnection manager = lent.managed;
        return manager == null ? new StepThenCommit(step) : new ManagedCommit(step, manager);
    }

    /** Sends a step that precedes the commit. Returns whether the commit may follow. */
    default boolean prepare() {
        return true;
    }

    /**
     * Commits, together with the step unless {@link #prepare} has sent it.
     *
     * @return how the transaction ended; not committed if that step was rejected
     * @throws SQLException if the database rejected it or its reply was lost
     */
    Ended commit(LentConnection<?> lent) throws SQLException;

    /** How messages describe a failure of {@link #commit}. */
    default String failure() {
        return "Could not commit";
    }

    /** One after the other. */
    record StepThenCommit(BooleanSupplier step) implements Ending {
        @Override
        public boolean prepare() {
            return step.getAsBoolean();
        }

        @Override
        public Ended commit(LentConnection<?> lent) throws SQLException {
            lent.connection.commit();
            try {
                SQLWarning warning = lent.connection.getWarnings();
                return warning == null ? COMMITTED : new Ended(true, warning, null);
            } catch (SQLException thrown) {
                throw afterTheAnswer(thrown, lent);
            }
        }
    }

    /**
     * Both in one exchange.
     *
     * @param both returns false if the database has rejected the step, and therefore the commit
     * @param key the key of the record, for messages; null for a step that changes none
     */
    record StepWithCommit(Sql.Step<Boolean> both, @Nullable IdempotencyKey key) implements Ending {
        @Override
        public Ended commit(LentConnection<?> lent) throws SQLException {
            if (!both.run()) {
                return REFUSED;
            }
            try {
                lent.committedTogether();
                return COMMITTED;
            } catch (SQLException thrown) {
                throw afterTheAnswer(thrown, lent);
            }
        }

        @Override
        public String failure() {
            return key == null ? Ending.super.failure() : key + ": could not commit";
        }
    }

    /** Both by a transaction manager, which has the step sent last before its commit. */
    record ManagedCommit(BooleanSupplier step, ManagedConnection manager) implements Ending {
        @Override
        public Ended commit(LentConnection<?> lent) throws SQLException {
            return manager.commitAfter(step);
        }
    }

    /** A failure after the reply to the commit says nothing about the commit. */
    private static StoreException afterTheAnswer(SQLException thrown, LentConnection<?> lent) {
        return StoreFailures.of(
                "The commit succeeded, and then the connection failed", Fault.CONNECTION_LOST, lent.dialect, thrown);
    }
}
