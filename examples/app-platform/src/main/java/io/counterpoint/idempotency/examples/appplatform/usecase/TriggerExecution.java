package io.counterpoint.idempotency.examples.appplatform.usecase;

import static io.counterpoint.idempotency.jdbc.Isolation.READ_COMMITTED;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.PlannedOperation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import java.util.UUID;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;

/**
 * Creates an execution together with the first row of its log and its event in the queue. Workers run what is in the
 * queue, so nothing is lost if the process that responds dies. A repeated request without a request id creates another
 * execution.
 */
public final class TriggerExecution {

    public static final Policy POLICY = new Policy(
            "trigger execution",
            "/executions",
            Policy.Key.OPTIONAL,
            "the library's record if there is an id, nothing if not",
            "Execution, first Log row, event of the queue",
            READ_COMMITTED,
            Policy.STRONG);

    private final Transactions transactions;
    private final AppEvents events;
    private final Consumer<Step> at;
    private final PlannedOperation<Handle, UUID> operation;

    public TriggerExecution(JdbiIdempotencyStore store, AppEvents events, Consumer<Step> at) {
        this.transactions = Transactions.on(store);
        this.events = events;
        this.at = at;
        this.operation = Idempotency.on(
                        store.toBuilder().isolation(POLICY.isolation()).build())
                .operation("trigger-execution", ResultCodec.text(UUID::toString, UUID::fromString))
                .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                .releaseOn(thrown -> thrown instanceof Refusal)
                .planned()
                .build();
    }

    public Outcome<UUID> execute(Attempt attempt, long workspace, UUID app) throws Refusal {
        Outcome<UUID> outcome = operation.execute(
                attempt, UUID::randomUUID, (handle, execution) -> insert(handle, execution, workspace, app));
        at.accept(Step.TRIGGERED);
        return outcome;
    }

    public UUID executeUnprotected(long workspace, UUID app) throws Refusal {
        UUID execution = UUID.randomUUID();
        transactions.useTransaction(POLICY.isolation(), handle -> insert(handle, execution, workspace, app));
        return execution;
    }

    private void insert(Handle handle, UUID execution, long workspace, UUID app) throws Refusal {
        PublishApp.requireInWorkspace(handle, workspace, app);
        handle.execute("""
                INSERT INTO execution (id, workspace_id, app_id, status, triggered_at)
                VALUES (?, ?, ?, 'queued', CURRENT_TIMESTAMP)
                """, execution, workspace, app);
        handle.execute(
                "INSERT INTO execution_log (id, execution_id, line, text) VALUES (?, ?, 0, 'triggered')",
                UUID.randomUUID(),
                execution);
        events.executionTriggered(handle, execution);
        at.accept(Step.TRIGGER_NOT_COMMITTED);
    }
}
