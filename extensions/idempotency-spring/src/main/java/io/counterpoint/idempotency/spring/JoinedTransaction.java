package io.counterpoint.idempotency.spring;

import io.counterpoint.idempotency.spi.WorkScope.End;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;

/**
 * The transaction of an operation, as Spring sees it on this thread: an active one that belongs to an outer caller. So
 * whatever joins never commits it.
 */
final class JoinedTransaction {

    /** The name that Spring shows for the transaction. */
    static final String NAME = "idempotent operation";

    private static final Logger LOG = System.getLogger(JoinedTransaction.class.getName());

    private final DataSource dataSource;
    private final Connection connection;
    private final List<Participant> participants;
    private final Set<String> separate;
    private final ConnectionHolder holder;
    private final List<JoinedPart> parts = new ArrayList<>();
    /** What takes this transaction from the thread again, the last step first. */
    private final Deque<Runnable> undo = new ArrayDeque<>();

    private boolean completionBegun;
    private boolean ended;
    private int separateDepth;

    JoinedTransaction(
            DataSource dataSource, Connection connection, List<Participant> participants, Set<String> separate) {
        this.dataSource = dataSource;
        this.connection = connection;
        this.participants = participants;
        this.separate = separate;
        this.holder = new Holder(connection);
    }

    /** A connection that takes part in callbacks. */
    private static final class Holder extends ConnectionHolder {
        Holder(Connection connection) {
            super(connection, true);
            setSynchronizedWithTransaction(true);
        }
    }

    /** The transaction of the operation that runs on this thread. */
    static @Nullable JoinedTransaction current() {
        return (JoinedTransaction) TransactionSynchronizationManager.getResource(JoinedTransaction.class);
    }

    static void log(String when, Throwable thrown) {
        LOG.log(Level.ERROR, "A callback of a transaction threw " + when + ". No answer changes.", thrown);
    }

    // ---- on the thread -------------------------------------------------------------------------------------------

    void begin() {
        suspendCallbacksOutside();
        bind(JoinedTransaction.class, this);
        bind(dataSource, holder);
        for (Participant participant : participants) {
            JoinedPart part = participant.join(connection);
            parts.add(part);
            undo.push(part::close);
            bind(part.key(), part.holder());
        }
        describe();
        TransactionSynchronizationManager.initSynchronization();
        undo.push(() -> {
            if (TransactionSynchronizationManager.isSynchronizationActive()) {
                TransactionSynchronizationManager.clearSynchronization();
            }
        });
        TransactionSynchronizationManager.registerSynchronization(new SuspensionCheck(this));
    }

    /** A scope without a transaction may have callbacks of its own. */
    private static void resume(List<TransactionSynchronization> suspended) {
        TransactionSynchronizationManager.initSynchronization();
        for (TransactionSynchronization callback : suspended) {
            callback.resume();
            TransactionSynchronizationManager.registerSynchronization(callback);
        }
    }

    private void suspendCallbacksOutside() {
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            List<TransactionSynchronization> outside = TransactionSynchronizationManager.getSynchronizations();
            outside.forEach(TransactionSynchronization::suspend);
            TransactionSynchronizationManager.clearSynchronization();
            undo.push(() -> resume(outside));
        }
    }

    /** Puts aside what is bound already, such as the entity manager of a web request. */
    private void bind(Object key, Object value) {
        Object outside = TransactionSynchronizationManager.unbindResourceIfPossible(key);
        if (outside != null) {
            undo.push(() -> TransactionSynchronizationManager.bindResource(key, outside));
        }
        TransactionSynchronizationManager.bindResource(key, value);
        undo.push(() -> TransactionSynchronizationManager.unbindResourceIfPossible(key));
    }

    private void describe() {
        String name = TransactionSynchronizationManager.getCurrentTransactionName();
        boolean readOnly = TransactionSynchronizationManager.isCurrentTransactionReadOnly();
        Integer isolation = TransactionSynchronizationManager.getCurrentTransactionIsolationLevel();
        undo.push(() -> describe(name, readOnly, isolation, false));
        describe(NAME, false, null, true);
    }

    private static void describe(@Nullable String name, boolean readOnly, @Nullable Integer isolation, boolean active) {
        TransactionSynchronizationManager.setCurrentTransactionName(name);
        TransactionSynchronizationManager.setCurrentTransactionReadOnly(readOnly);
        TransactionSynchronizationManager.setCurrentTransactionIsolationLevel(isolation);
        TransactionSynchronizationManager.setActualTransactionActive(active);
    }

    // ---- code that commits on its own ----------------------------------------------------------------------------

    /** Runs code that may suspend this transaction. */
    <T> T separately(String name, Supplier<? extends T> code) {
        if (!separate.contains(name)) {
            throw SeparateTransactionException.notAllowed(name, separate);
        }
        separateDepth++;
        try {
            return code.get();
        } finally {
            separateDepth--;
        }
    }

    /** Called before Spring takes this transaction from the thread. */
    void requireMayBeSuspended() {
        if (isWorking()) {
            throw SeparateTransactionException.suspended();
        }
    }

    /** Whether all that the thread does now has to commit with this transaction. */
    boolean isWorking() {
        return !ended && separateDepth == 0;
    }

    // ---- before its end ------------------------------------------------------------------------------------------

    void flush() {
        requireNotRollbackOnly();
        parts.forEach(JoinedPart::flush);
    }

    void beforeCommit() {
        requireNotRollbackOnly();
        TransactionSynchronizationUtils.triggerBeforeCommit(false);
        parts.forEach(JoinedPart::beforeCommit);
        requireNotRollbackOnly();
        beforeCompletion();
    }

    private void requireNotRollbackOnly() {
        if (holder.isRollbackOnly() || parts.stream().anyMatch(JoinedPart::isRollbackOnly)) {
            throw new UnexpectedRollbackException("Code that joined the transaction of an idempotent operation has"
                    + " marked it as rollback-only, and its exception did not leave the work. Let the exception pass,"
                    + " or keep it inside the method whose transaction it must not end.");
        }
    }

    private void beforeCompletion() {
        completionBegun = true;
        TransactionSynchronizationUtils.triggerBeforeCompletion();
    }

    // ---- after its end -------------------------------------------------------------------------------------------

    /** Throws what a callback has thrown, after all of them have run and nothing is bound. */
    void ended(End end) {
        ended = true;
        Failures failures = new Failures();
        parts.forEach(part -> failures.of("of its participant", () -> part.ended(end)));
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            callBack(end, failures);
        }
        while (!undo.isEmpty()) {
            failures.of("while it was taken from its thread", undo.pop());
        }
        failures.rethrow();
    }

    private void callBack(End end, Failures failures) {
        if (!completionBegun) {
            beforeCompletion();
        }
        if (end == End.COMMITTED) {
            for (TransactionSynchronization callback : TransactionSynchronizationManager.getSynchronizations()) {
                failures.of("after the commit", callback::afterCommit);
            }
        }
        failures.of(
                "after the completion", () -> TransactionSynchronizationUtils.triggerAfterCompletion(statusOf(end)));
    }

    private static int statusOf(End end) {
        return switch (end) {
            case COMMITTED -> TransactionSynchronization.STATUS_COMMITTED;
            case ROLLED_BACK -> TransactionSynchronization.STATUS_ROLLED_BACK;
            case UNKNOWN -> TransactionSynchronization.STATUS_UNKNOWN;
        };
    }

    /** What callbacks threw: logged, and the first is thrown with the others in it. */
    private static final class Failures {
        private @Nullable Throwable first;

        void of(String when, Runnable callback) {
            try {
                callback.run();
            } catch (RuntimeException | Error thrown) {
                log(when, thrown);
                if (first == null) {
                    first = thrown;
                } else if (first != thrown) {
                    first.addSuppressed(thrown);
                }
            }
        }

        void rethrow() {
            if (first instanceof Error error) {
                throw error;
            }
            if (first instanceof RuntimeException exception) {
                throw exception;
            }
        }
    }
}
