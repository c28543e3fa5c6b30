package io.counterpoint.idempotency.examples.appplatform.usecase;

import static io.counterpoint.idempotency.examples.appplatform.usecase.DatabaseStatus.CREATING;
import static io.counterpoint.idempotency.examples.appplatform.usecase.DatabaseStatus.MIGRATING;
import static io.counterpoint.idempotency.examples.appplatform.usecase.DatabaseStatus.NONE;
import static io.counterpoint.idempotency.examples.appplatform.usecase.DatabaseStatus.READY;
import static io.counterpoint.idempotency.jdbc.Isolation.READ_COMMITTED;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Done;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.transition.Ownership;
import io.counterpoint.idempotency.consistency.transition.StatusTransitions;
import io.counterpoint.idempotency.consistency.transition.Transition;
import io.counterpoint.idempotency.consistency.transition.Transition.Moved;
import io.counterpoint.idempotency.function.CheckedFunction;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Gives an app its own database: a schema with its role, then the tables. Each step is an external operation, because
 * the server commits separately. The key is the app and the number of its provisioning, and the lookup queries the
 * server. If an owner died and the server has nothing, the step is repeated, which is safe because every step is
 * idempotent.
 */
public final class ProvisionDatabase {

    public static final Policy POLICY = new Policy(
            "provision database",
            "/databases",
            Policy.Key.STATE,
            "status transitions over two external operations, resumed at any step",
            "each move: App, history, events; then the server",
            READ_COMMITTED,
            Policy.STRONG);

    private final Transactions transactions;
    private final StatusTransitions<DatabaseStatus> provisioning;
    private final DatabaseServer server;
    private final ExternalOperation<Done> schema;
    private final ExternalOperation<Done> tables;
    private final Consumer<Step> at;

    public ProvisionDatabase(JdbiIdempotencyStore store, DatabaseServer server, AppEvents events, Consumer<Step> at) {
        this.transactions = Transactions.on(store).withRetries(100);
        this.server = server;
        this.at = at;
        this.schema = Idempotency.on(store)
                .external(
                        "create-schema",
                        ResultCodec.done(),
                        attempt -> Lookup.of(doneIf(server.hasSchema(app(attempt.key())))))
                .build();
        this.tables = Idempotency.on(store)
                .external(
                        "create-tables",
                        ResultCodec.done(),
                        attempt -> Lookup.of(doneIf(server.hasTables(app(attempt.key())))))
                .build();
        this.provisioning = StatusTransitions.builder(DatabaseStatus.graph())
                .table("app")
                .status("database_status")
                .owner("provisioner", "provisioning_since")
                .onMoved((handle, moved) -> events.appChanged(handle, moved.id()))
                .build();
    }

    public StatusTransitions<DatabaseStatus> provisioning() {
        return provisioning;
    }

    public Transition<DatabaseStatus> execute(long workspace, UUID app) throws Refusal {
        Transition<DatabaseStatus> begun = transactions.inTransaction(POLICY.isolation(), handle -> {
            PublishApp.requireInWorkspace(handle, workspace, app);
            Transition<DatabaseStatus> move = provisioning.move(handle, app, NONE, CREATING);
            if (move instanceof Moved) {
                handle.execute("UPDATE app SET provisionings = provisionings + 1 WHERE id = ?", app);
            }
            at.accept(Step.PROVISION_NOT_BEGUN);
            return move;
        });
        at.accept(Step.PROVISION_BEGUN);
        if (begun instanceof Moved<DatabaseStatus> moved) {
            Transition<DatabaseStatus> ready = goOn(moved.ownership());
            at.accept(Step.PROVISIONED);
            return ready;
        }
        return begun.fold(
                moved -> moved,
                there -> new Transition.Refused<>(NONE, READY, CREATING),
                refused -> refused.actual() == READY ? new Transition.AlreadyThere<>(READY) : refused,
                missing -> missing);
    }

    /** Resumes work that others abandoned at least this long ago. Returns how many were resumed. */
    public int resume(Duration olderThan, BiConsumer<Ownership<DatabaseStatus>, RuntimeException> onFailure) {
        return provisioning.resume(
                transactions,
                olderThan,
                100,
                held -> {
                    if (!(goOn(held) instanceof Moved)) {
                        throw new IllegalStateException("Another caller has taken it over at the same time.");
                    }
                },
                onFailure);
    }

    private Transition<DatabaseStatus> goOn(Ownership<DatabaseStatus> held) {
        UUID app = UUID.fromString(held.id().toString());
        Attempt attempt =
                Attempt.inScope("app:" + app).key(app + "/" + provisioning(app)).withoutRequest();
        if (held.state() == CREATING) {
            make(schema, attempt, () -> {
                at.accept(Step.SCHEMA_CLAIMED);
                server.createSchema(app);
                at.accept(Step.SCHEMA_CREATED);
            });
            Transition<DatabaseStatus> recorded = move(held, MIGRATING);
            at.accept(Step.SCHEMA_RECORDED);
            return recorded instanceof Moved<DatabaseStatus> moved ? goOn(moved.ownership()) : recorded;
        }
        make(tables, attempt, () -> {
            at.accept(Step.TABLES_CLAIMED);
            server.createTables(app);
            at.accept(Step.TABLES_CREATED);
        });
        return move(held, READY);
    }

    /** Repeats a step that another owner began, if the server has nothing. */
    private static void make(ExternalOperation<Done> operation, Attempt attempt, Runnable effect) {
        CheckedFunction<IdempotencyKey, Done, RuntimeException> work = key -> {
            effect.run();
            return Done.DONE;
        };
        if (!(operation.execute(attempt, work) instanceof Outcome.Completed)) {
            effect.run();
            Done unused = operation.execute(attempt, work).orElseThrow();
        }
    }

    /** The number of the app's provisioning. If the schema is lost, the app is provisioned again under a new number. */
    private int provisioning(UUID app) {
        return transactions.inTransaction(
                POLICY.isolation(),
                handle -> handle.createQuery("SELECT provisionings FROM app WHERE id = ?")
                        .bind(0, app)
                        .mapTo(Integer.class)
                        .one());
    }

    private static UUID app(IdempotencyKey key) {
        return UUID.fromString(key.value().replaceFirst("/.*", ""));
    }

    private static Optional<Done> doneIf(boolean isThere) {
        return isThere ? Optional.of(Done.DONE) : Optional.empty();
    }

    private Transition<DatabaseStatus> move(Ownership<DatabaseStatus> held, DatabaseStatus to) {
        return transactions.inTransaction(POLICY.isolation(), handle -> provisioning.move(handle, held, to));
    }
}
