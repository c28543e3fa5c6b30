package io.counterpoint.idempotency.examples.appplatform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.consistency.transition.Transition.AlreadyThere;
import io.counterpoint.idempotency.consistency.transition.Transition.Moved;
import io.counterpoint.idempotency.examples.appplatform.usecase.DatabaseServer;
import io.counterpoint.idempotency.examples.appplatform.usecase.ProvisionDatabase;
import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;
import io.counterpoint.idempotency.examples.appplatform.usecase.Step;
import io.counterpoint.idempotency.programs.CannotRun;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Apps' databases are PostgreSQL schemas, each with its own role. The tour kills a process at every step. */
@Tag("thorough")
class ProvisioningTest {

    private TestPlatform test;
    private UUID app;

    @BeforeEach
    void open() throws CannotRun, Refusal {
        test = TestPlatform.idle();
        app = create("app");
    }

    @AfterEach
    void close() {
        test.close();
    }

    private UUID create(String name) throws Refusal {
        return test.platform
                .createApp
                .execute(Attempt.inScope("workspace:1").key(name).withoutRequest(), 1, name)
                .orElseThrow();
    }

    private ProvisionDatabase provisioning(DatabaseServer server, Consumer<Step> at) {
        return new ProvisionDatabase(test.database.store(), server, test.platform.events, at);
    }

    private int resume() {
        return test.platform.provisionDatabase.resume(Duration.ZERO, (held, why) -> {
            throw why;
        });
    }

    private String status() {
        return test.one("SELECT database_status FROM app WHERE id = '" + app + "'");
    }

    private long offending() {
        return test.platform
                .checks
                .named("ready-without-schema")
                .orElseThrow()
                .check()
                .run(test.platform.transactions)
                .offending();
    }

    @Test
    void schemaBelongsToARoleThatSeesNoOtherSchema() throws Refusal {
        UUID other = create("other");
        assertThat(test.platform.provisionDatabase.execute(1, app)).isInstanceOf(Moved.class);
        assertThat(test.platform.provisionDatabase.execute(1, other)).isInstanceOf(Moved.class);
        assertThat(test.platform.provisionDatabase.execute(1, app)).isInstanceOf(AlreadyThere.class);
        String mine = SchemaServer.name(app);
        assertThat(test.count("pg_tables WHERE tableowner = schemaname AND schemaname = '" + mine + "'"))
                .isEqualTo(3);
        test.database.jdbi().useTransaction(handle -> {
            handle.execute("SET LOCAL ROLE " + mine);
            handle.execute("INSERT INTO " + mine + ".record VALUES (?, 'mine')", UUID.randomUUID());
            assertThatThrownBy(() -> handle.execute("SELECT 1 FROM " + SchemaServer.name(other) + ".record"))
                    .hasMessageContaining("permission denied for schema");
            handle.rollback();
        });
    }

    @Test
    void readyDatabaseWithoutItsSchemaIsFoundAndProvisionedAgain() throws Refusal {
        assertThat(test.platform.provisionDatabase.execute(1, app)).isInstanceOf(Moved.class);
        assertThat(offending()).isZero();
        test.execute("DROP TABLE " + SchemaServer.name(app) + ".record");
        assertThat(offending()).isEqualTo(1);
        test.execute("DROP SCHEMA " + SchemaServer.name(app) + " CASCADE");
        assertThat(offending()).isEqualTo(1);
        assertThat(test.platform.upkeep.repair("ready-without-schema", false))
                .allMatch(report -> report.changed() == 1);
        assertThat(status()).isEqualTo("none");
        assertThat(test.platform.provisionDatabase.execute(1, app)).isInstanceOf(Moved.class);
        assertThat(test.database.server().hasTables(app)).isTrue();
        assertThat(offending()).isZero();
    }

    @Test
    void serverThatFailsLeavesAnAppThatIsResumed() {
        AtomicBoolean fails = new AtomicBoolean(true);
        DatabaseServer real = test.database.server();
        DatabaseServer failing = new DatabaseServer() {
            @Override
            public void createSchema(UUID failed) {
                real.createSchema(failed);
                if (fails.get()) {
                    throw new IllegalStateException("no answer");
                }
            }

            @Override
            public void createTables(UUID failed) {
                real.createTables(failed);
            }

            @Override
            public boolean hasSchema(UUID failed) {
                return real.hasSchema(failed);
            }

            @Override
            public boolean hasTables(UUID failed) {
                return real.hasTables(failed);
            }
        };
        assertThatThrownBy(() -> assertThat(provisioning(failing, step -> {}).execute(1, app))
                        .isNull())
                .isInstanceOf(OutcomeUnknownException.class);
        assertThat(status()).isEqualTo("creating");
        fails.set(false);
        assertThat(resume()).isEqualTo(1);
        assertThat(status()).isEqualTo("ready");
        assertThat(real.hasTables(app)).isTrue();
    }

    /**
     * The owner is paused just before it creates the schema, counts as dead, and continues after another one has
     * created everything.
     */
    @Test
    void ownerThatWasPausedChangesNothingAnyMore() throws Exception {
        CountDownLatch paused = new CountDownLatch(1);
        CountDownLatch resumed = new CountDownLatch(1);
        ProvisionDatabase slow = provisioning(test.database.server(), step -> {
            if (step == Step.SCHEMA_CLAIMED) {
                paused.countDown();
                try {
                    resumed.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        });
        CompletableFuture<Object> late = CompletableFuture.supplyAsync(() -> {
            try {
                return slow.execute(1, app);
            } catch (Refusal e) {
                throw new AssertionError(e);
            }
        });
        assertThat(paused.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(resume()).isEqualTo(1);
        assertThat(status()).isEqualTo("ready");
        resumed.countDown();
        assertThat(late.get(60, TimeUnit.SECONDS)).isNotInstanceOf(Moved.class);
        assertThat(status()).isEqualTo("ready");
        assertThat(test.count("transition_history WHERE to_state = 'ready'")).isEqualTo(1);
        assertThat(test.count("pg_namespace WHERE nspname = '" + SchemaServer.name(app) + "'"))
                .isEqualTo(1);
    }
}
