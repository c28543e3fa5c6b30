package io.counterpoint.idempotency.examples.appplatform;

import static io.counterpoint.idempotency.examples.appplatform.DatabaseStatus.CREATING;
import static io.counterpoint.idempotency.examples.appplatform.DatabaseStatus.MIGRATING;
import static io.counterpoint.idempotency.examples.appplatform.DatabaseStatus.NONE;
import static io.counterpoint.idempotency.examples.appplatform.DatabaseStatus.READY;
import static org.jdbi.v3.core.transaction.TransactionIsolationLevel.READ_COMMITTED;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.transition.GuardedTransitions;
import io.counterpoint.idempotency.consistency.transition.Ownership;
import io.counterpoint.idempotency.consistency.transition.Transition;
import io.counterpoint.idempotency.consistency.transition.Transition.Moved;
import io.counterpoint.idempotency.examples.appplatform.provision.SchemaServer;
import java.time.Duration;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * An app gets a database of its own: a schema with a role, then its tables. Each step is on a server that shares no
 * transaction with the states, so it is an external operation. Its key has the owner's token: who goes on where another
 * died asks under a key of its own, and the server leaves alone what is there.
 */
final class ProvisionDatabase {

    static final Policy POLICY = new Policy(
            "provision database",
            "/databases",
            Policy.Key.STATE,
            "guarded transitions over two steps, each an external operation, resumed at any",
            "each move: App, history, events",
            READ_COMMITTED,
            Policy.SESSION);

    private final Transactions transactions;
    private final GuardedTransitions<DatabaseStatus> provisioning;
    private final SchemaServer server;
    private final ExternalOperation<UUID> schemaCreation;
    private final ExternalOperation<UUID> tableCreation;
    private final Consumer<Step> at;

    ProvisionDatabase(
            Idempotency<?> idempotency,
            Transactions transactions,
            SchemaServer server,
            Events events,
            Consumer<Step> at) {
        this.server = server;
        this.schemaCreation = creation(idempotency, "create-schema", server::hasSchema);
        this.tableCreation = creation(idempotency, "create-tables", server::hasTables);
        this.transactions = transactions;
        this.at = at;
        this.provisioning = GuardedTransitions.of(DatabaseStatus.graph())
                .table("app")
                .status("database_status")
                .owner("provisioner", "provisioning_since")
                .onMoved((handle, moved) -> events.appChanged(handle, moved.id()))
                .build();
    }

    private static ExternalOperation<UUID> creation(Idempotency<?> idempotency, String name, Predicate<UUID> isThere) {
        return idempotency
                .external(
                        name,
                        ResultCodec.text(UUID::toString, UUID::fromString),
                        attempt -> attempt.plan().filter(isThere))
                .build();
    }

    GuardedTransitions<DatabaseStatus> provisioning() {
        return provisioning;
    }

    Transition<DatabaseStatus> execute(long workspace, UUID app) throws Refusal {
        Transition<DatabaseStatus> begun = transactions.inTransaction(POLICY.isolation(), handle -> {
            PublishApp.requireInWorkspace(handle, workspace, app);
            Transition<DatabaseStatus> move = provisioning.move(handle, app, NONE, CREATING);
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

    /** Goes on where others have abandoned it for so long. Returns how many. */
    int resume(Duration olderThan, BiConsumer<Ownership<DatabaseStatus>, RuntimeException> onFailure) {
        return provisioning.resume(
                transactions,
                olderThan,
                100,
                held -> {
                    if (!(goOn(held) instanceof Moved)) {
                        throw new IllegalStateException("Another has taken it over at the same time.");
                    }
                },
                onFailure);
    }

    private static void create(
            ExternalOperation<UUID> operation, Ownership<DatabaseStatus> held, Consumer<UUID> creation) {
        UUID app = held.id(UUID.class);
        UUID token = held.owner().orElseThrow();
        Attempt attempt = Attempt.in("app:" + app).key(token.toString()).request();
        UUID unused = operation
                .executePlanned(attempt, () -> app, (key, planned) -> creation.accept(planned))
                .orElseThrow();
    }

    private Transition<DatabaseStatus> goOn(Ownership<DatabaseStatus> held) {
        if (held.state() == CREATING) {
            create(schemaCreation, held, server::createSchema);
            at.accept(Step.SCHEMA_CREATED);
            Transition<DatabaseStatus> recorded = move(held, MIGRATING);
            at.accept(Step.SCHEMA_RECORDED);
            return recorded instanceof Moved<DatabaseStatus> moved ? goOn(moved.ownership()) : recorded;
        }
        create(tableCreation, held, server::createTables);
        at.accept(Step.TABLES_CREATED);
        return move(held, READY);
    }

    private Transition<DatabaseStatus> move(Ownership<DatabaseStatus> held, DatabaseStatus to) {
        return transactions.inTransaction(POLICY.isolation(), handle -> provisioning.move(handle, held, to));
    }
}
