package io.counterpoint.idempotency.examples.appplatform.usecase;

import static org.jdbi.v3.core.transaction.TransactionIsolationLevel.READ_COMMITTED;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import java.util.UUID;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;

/**
 * An execution comes with the first row of its log and counts as usage, all together; then it is run. A repeated
 * request without a request id gets another.
 */
public final class TriggerExecution {

    public static final Policy POLICY = new Policy(
            "trigger execution",
            "/executions",
            Policy.Key.OPTIONAL,
            "the library's record if there is an id, nothing if not",
            "Execution, first Log row, usage, event",
            READ_COMMITTED,
            Policy.STRONG);

    /** Runs executions that are stored. */
    public interface Executor {

        /** As what it is known in the table of executions. */
        UUID id();

        /** Runs an execution, later than this call or not at all if the process dies. */
        void run(UUID execution);
    }

    private final Transactions transactions;
    private final AppEvents events;
    private final Executor executor;
    private final Consumer<Step> at;
    private final Operation<Handle, UUID> operation;

    public TriggerExecution(JdbiIdempotencyStore store, AppEvents events, Executor executor, Consumer<Step> at) {
        this.transactions = Transactions.on(store);
        this.events = events;
        this.executor = executor;
        this.at = at;
        this.operation = Idempotency.on(store.withIsolation(POLICY.isolation()))
                .operation("trigger-execution", ResultCodec.text(UUID::toString, UUID::fromString))
                .singleTransaction()
                .releaseOn(thrown -> thrown instanceof Refusal)
                .build();
    }

    public Outcome<UUID> execute(Attempt attempt, long workspace, UUID app) throws Refusal {
        Outcome<UUID> outcome = operation.executePlanned(
                attempt, UUID::randomUUID, (handle, execution) -> insert(handle, execution, workspace, app));
        at.accept(Step.TRIGGERED);
        if (outcome instanceof Outcome.Executed<UUID> executed) {
            executor.run(executed.result());
        }
        return outcome;
    }

    public UUID executeUnprotected(long workspace, UUID app) throws Refusal {
        UUID execution = UUID.randomUUID();
        transactions.useTransaction(POLICY.isolation(), handle -> insert(handle, execution, workspace, app));
        executor.run(execution);
        return execution;
    }

    private void insert(Handle handle, UUID execution, long workspace, UUID app) throws Refusal {
        PublishApp.requireInWorkspace(handle, workspace, app);
        handle.execute("""
                INSERT INTO execution (id, workspace_id, app_id, runner, status, started_at)
                VALUES (?, ?, ?, ?, 'running', CURRENT_TIMESTAMP)
                """, execution, workspace, app, executor.id());
        handle.execute(
                "INSERT INTO execution_log (id, execution_id, line, text) VALUES (?, ?, 0, 'triggered')",
                UUID.randomUUID(),
                execution);
        handle.execute("UPDATE workspace SET used_requests = used_requests + 1 WHERE id = ?", workspace);
        events.executionTriggered(handle, workspace);
        at.accept(Step.TRIGGER_NOT_COMMITTED);
    }
}
