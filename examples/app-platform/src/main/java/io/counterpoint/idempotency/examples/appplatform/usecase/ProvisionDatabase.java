package io.counterpoint.idempotency.examples.appplatform.usecase;

import static io.counterpoint.idempotency.examples.appplatform.usecase.DatabaseStatus.CREATING;
import static io.counterpoint.idempotency.examples.appplatform.usecase.DatabaseStatus.MIGRATING;
import static io.counterpoint.idempotency.examples.appplatform.usecase.DatabaseStatus.NONE;
import static io.counterpoint.idempotency.examples.appplatform.usecase.DatabaseStatus.READY;
import static org.jdbi.v3.core.transaction.TransactionIsolationLevel.READ_COMMITTED;

import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.transition.GuardedTransitions;
import io.counterpoint.idempotency.consistency.transition.Ownership;
import io.counterpoint.idempotency.consistency.transition.Transition;
import io.counterpoint.idempotency.consistency.transition.Transition.Moved;
import java.time.Duration;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * An app gets a database of its own: a schema, then its tables. Each step's effect is outside the transactions of the
 * states and may happen twice, so each is made to be the same the second time. The server that databases are made on is
 * stood in for by the table {@code server_schema}, which nothing else commits with.
 */
public final class ProvisionDatabase {

    public static final Policy POLICY = new Policy(
            "provision database",
            "/databases",
            Policy.Key.STATE,
            "guarded transitions over two steps, resumed at any",
            "each move: App, history, events",
            READ_COMMITTED,
            Policy.SESSION);

    private static final int TABLES = 3;

    private final Jdbi jdbi;
    private final Transactions transactions;
    private final GuardedTransitions<DatabaseStatus> provisioning;
    private final Consumer<Step> at;

    public ProvisionDatabase(Jdbi jdbi, Transactions transactions, AppEvents events, Consumer<Step> at) {
        this.jdbi = jdbi;
        this.transactions = transactions;
        this.at = at;
        this.provisioning = GuardedTransitions.of(DatabaseStatus.graph())
                .table("app")
                .status("database_status")
                .owner("provisioner", "provisioning_since")
                .onMoved((handle, moved) -> events.appChanged(handle, moved.id()))
                .build();
    }

    public GuardedTransitions<DatabaseStatus> provisioning() {
        return provisioning;
    }

    public Transition<DatabaseStatus> execute(long workspace, UUID app) throws Refusal {
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
    public int resume(Duration olderThan, BiConsumer<Ownership<DatabaseStatus>, RuntimeException> onFailure) {
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

    public static void createSchema(Handle server, Object app) {
        server.execute("""
                INSERT INTO server_schema (app_id, tables)
                SELECT id, 0 FROM app WHERE id = ? AND NOT EXISTS (SELECT 1 FROM server_schema WHERE app_id = ?)
                """, app, app);
    }

    private static void createTables(Handle server, Object app) {
        if (server.execute("UPDATE server_schema SET tables = ? WHERE app_id = ?", TABLES, app) == 0) {
            throw new IllegalStateException("The server has no schema for the app " + app + ".");
        }
    }

    private Transition<DatabaseStatus> goOn(Ownership<DatabaseStatus> held) {
        if (held.state() == CREATING) {
            jdbi.useHandle(server -> createSchema(server, held.id()));
            at.accept(Step.SCHEMA_CREATED);
            Transition<DatabaseStatus> recorded = move(held, MIGRATING);
            at.accept(Step.SCHEMA_RECORDED);
            return recorded instanceof Moved<DatabaseStatus> moved ? goOn(moved.ownership()) : recorded;
        }
        jdbi.useHandle(server -> createTables(server, held.id()));
        at.accept(Step.TABLES_CREATED);
        return move(held, READY);
    }

    private Transition<DatabaseStatus> move(Ownership<DatabaseStatus> held, DatabaseStatus to) {
        return transactions.inTransaction(POLICY.isolation(), handle -> provisioning.move(handle, held, to));
    }
}
