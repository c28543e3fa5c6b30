package io.counterpoint.idempotency.examples.appplatform.usecase;

import static io.counterpoint.idempotency.jdbc.Isolation.READ_COMMITTED;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.PlannedOperation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import java.util.UUID;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;

/**
 * An app is created together with its first version; a repeated request gets the same app. While apps are migrated from
 * one path to another, {@link AppPaths} writes those that the mode selects.
 */
public final class CreateApp {

    public static final Policy POLICY = new Policy(
            "create App",
            "/apps",
            Policy.Key.REQUIRED,
            "the library's record, in the same transaction",
            "App, first Version, its row in each path, events",
            READ_COMMITTED,
            Policy.STRONG);

    private final AppEvents events;
    private final Consumer<Step> at;
    private final PlannedOperation<Handle, UUID> operation;

    public CreateApp(JdbiIdempotencyStore store, AppEvents events, Consumer<Step> at) {
        this.events = events;
        this.at = at;
        this.operation = Idempotency.on(
                        store.toBuilder().isolation(POLICY.isolation()).build())
                .operation("create-app", ResultCodec.text(UUID::toString, UUID::fromString))
                .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                .releaseOn(thrown -> thrown instanceof Refusal)
                .planned()
                .build();
    }

    public Outcome<UUID> execute(Attempt attempt, long workspace, String name) throws Refusal {
        Outcome<UUID> outcome =
                operation.execute(attempt, UUID::randomUUID, (handle, app) -> insert(handle, app, workspace, name));
        at.accept(Step.CREATED);
        return outcome;
    }

    /** The work alone, in the caller's transaction. Without the operation, every call creates an app. */
    public void insert(Handle handle, UUID app, long workspace, String name) throws Refusal {
        int inserted = handle.execute(
                "INSERT INTO app (id, workspace_id, name) SELECT ?, id, ? FROM workspace WHERE id = ?",
                app,
                name,
                workspace);
        if (inserted == 0) {
            throw Refusal.missing("workspace");
        }
        handle.execute("INSERT INTO app_version (id, app_id, number) VALUES (?, ?, 1)", UUID.randomUUID(), app);
        AppPaths.insert(handle, app, workspace, name);
        events.appCreated(handle, app);
        at.accept(Step.CREATE_NOT_COMMITTED);
    }
}
