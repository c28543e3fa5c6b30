package io.counterpoint.idempotency.consistency.transition;

import static io.counterpoint.idempotency.consistency.transition.AppStatus.ARCHIVED;
import static io.counterpoint.idempotency.consistency.transition.AppStatus.DRAFT;
import static io.counterpoint.idempotency.consistency.transition.AppStatus.PUBLISHED;
import static io.counterpoint.idempotency.consistency.transition.AppStatus.PUBLISHING;
import static io.counterpoint.idempotency.jdbc.Isolation.SERIALIZABLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.testing.TestDatabase;
import io.counterpoint.idempotency.consistency.testing.TestDatabase.Kind;
import io.counterpoint.idempotency.consistency.transition.Passage.Completion;
import io.counterpoint.idempotency.consistency.transition.Transition.Moved;
import io.counterpoint.idempotency.consistency.transition.Transition.Refused;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What a passage does with its work. Deaths are in {@link PublishingTest}. */
@Tag("thorough")
@ParameterizedClass
@EnumSource
class PassageTest {

    @Parameter
    Kind kind;

    private final StatusTransitions<AppStatus> publication =
            AppStatus.publication().build();
    private TestDatabase database;
    private UUID app;

    @BeforeEach
    void open() {
        database = TestDatabase.create(kind);
        database.jdbi().useHandle(publication::createHistoryIfMissing);
        database.execute(AppStatus.APP_TABLE, "ALTER TABLE app ADD COLUMN artifact varchar(100)");
        app = UUID.randomUUID();
        database.execute("INSERT INTO app (id, status) VALUES ('" + app + "', 'draft')");
    }

    @AfterEach
    void close() {
        database.close();
    }

    private Passage<AppStatus> passage(Passage.Work<AppStatus> work) {
        return publication
                .passage(Transactions.on(database.store()), DRAFT, PUBLISHING, PUBLISHED, work)
                .at(SERIALIZABLE);
    }

    private String row() {
        return database.one("SELECT concat(status, ' ', coalesce(artifact, '-')) FROM app", String.class);
    }

    @Test
    void intermediateStateIsCommittedBeforeTheWorkAndItsColumnsWithTheLastMove() throws Exception {
        Transition<AppStatus> moved = passage(held -> {
                    assertThat(row()).isEqualTo("publishing -");
                    return Completion.set("artifact", "digest")
                            .and(handle -> assertThat(handle.createQuery("SELECT artifact FROM app")
                                            .mapTo(String.class)
                                            .one())
                                    .isEqualTo("digest"));
                })
                .perform(app);

        assertThat(moved.orElseThrow().to()).isEqualTo(PUBLISHED);
        assertThat(row()).isEqualTo("published digest");
        assertThat(passage(held -> Completion.NOTHING).perform(app))
                .isEqualTo(new Transition.AlreadyThere<>(PUBLISHED));
        assertThat(passage(held -> Completion.NOTHING).perform(UUID.randomUUID()))
                .isEqualTo(new Transition.Missing<>());
    }

    @Test
    void workThatFailsTakesTheRowBack() {
        IOException failure = new IOException("the store of artifacts is away");

        assertThatThrownBy(() -> passage(held -> {
                            throw failure;
                        })
                        .perform(app))
                .isSameAs(failure);
        assertThat(row()).isEqualTo("draft -");
    }

    @Test
    void lastMoveThatFailsTakesTheRowBack() {
        RuntimeException failure = new IllegalStateException("no policy");

        assertThatThrownBy(() -> passage(
                                held -> Completion.set("artifact", "digest").and(handle -> {
                                    throw failure;
                                }))
                        .perform(app))
                .isSameAs(failure);
        assertThat(row()).isEqualTo("draft -");
    }

    @Test
    void rowOfAnotherOwnerIsRefused() throws Exception {
        List<Transition<AppStatus>> others = new ArrayList<>();
        Transition<AppStatus> unused = passage(held -> {
                    others.add(passage(other -> Completion.NOTHING).perform(app));
                    return Completion.NOTHING;
                })
                .perform(app);

        assertThat(others).containsExactly(new Refused<>(DRAFT, PUBLISHED, PUBLISHING));
    }

    /** It was abandoned, as far as the other can see. The failing one goes back, and its failure is handed on. */
    @Test
    void abandonedRowsAreFinishedAndTheFailingOneGoesBack() {
        List<Throwable> told = new ArrayList<>();
        Transition<AppStatus> unused = Transactions.on(database.store())
                .inTransaction(SERIALIZABLE, handle -> publication.move(handle, app, DRAFT, PUBLISHING));

        assertThat(passage(held -> {
                            throw new IOException("away");
                        })
                        .resume(Duration.ZERO, 10, (held, failure) -> told.add(failure.getCause())))
                .isZero();
        assertThat(told).singleElement().isInstanceOf(IOException.class);
        assertThat(row()).isEqualTo("draft -");

        Transition<AppStatus> again = Transactions.on(database.store())
                .inTransaction(SERIALIZABLE, handle -> publication.move(handle, app, DRAFT, PUBLISHING));
        assertThat(again).isInstanceOf(Moved.class);
        assertThat(passage(held -> Completion.set("artifact", "second"))
                        .resume(Duration.ZERO, 10, (held, failure) -> told.add(failure)))
                .isOne();
        assertThat(told).hasSize(1);
        assertThat(row()).isEqualTo("published second");
    }

    /** In the same update, so nobody reads the state without its reason. */
    @Test
    void reasonIsSetWithTheMoveBack() {
        for (Passage.Work<AppStatus> failing : List.<Passage.Work<AppStatus>>of(
                held -> {
                    throw new IOException("away");
                },
                held -> Completion.set("artifact", "digest").and(handle -> {
                    throw new IOException("refused");
                }))) {
            Passage<AppStatus> passage = passage(failing)
                    .whenBack(failure -> Completion.set("artifact", failure.getMessage())
                            .and(handle -> handle.execute("UPDATE app SET artifact = concat('why: ', artifact)")));
            assertThatThrownBy(() -> passage.perform(app)).isInstanceOf(IOException.class);
        }
        assertThat(row()).isEqualTo("draft why: refused");
        assertThat(database.count("transition_history WHERE to_state = 'draft'"))
                .isEqualTo(2);
    }

    @Test
    void everyMoveSetsTheTimeOfTheLatest() throws Exception {
        List<String> times = new ArrayList<>();
        Supplier<String> time = () -> database.one("SELECT updated_at FROM app", String.class);
        Transition<AppStatus> moved = AppStatus.publication()
                .updated("updated_at")
                .build()
                .passage(Transactions.on(database.store()), DRAFT, PUBLISHING, PUBLISHED, held -> {
                    times.add(time.get());
                    return Completion.NOTHING;
                })
                .perform(app);
        times.add(time.get());

        assertThat(moved).isInstanceOf(Moved.class);
        assertThat(times).doesNotContainNull().doesNotHaveDuplicates().isSorted();
    }

    private enum Stock {
        FREE,
        RESERVING,
        RESERVED,
        RETURNING
    }

    /** Whose owner is another's to replace: its age would begin again, and its own passage never find it. */
    @Test
    void passageLeavesRowsInOtherIntermediateStatesAlone() {
        StatusTransitions<Stock> stock = StatusTransitions.builder(StateGraph.builder("stock", Stock.class)
                        .initial(Stock.FREE)
                        .owned(Stock.RESERVING)
                        .owned(Stock.RETURNING)
                        .allow(Stock.FREE, Stock.RESERVING)
                        .allow(Stock.RESERVING, Stock.RESERVED, Stock.FREE)
                        .allow(Stock.RESERVED, Stock.RETURNING)
                        .allow(Stock.RETURNING, Stock.FREE, Stock.RESERVED)
                        .build())
                .table("app")
                .owner("publisher", "publishing_since")
                .build();
        Transactions transactions = Transactions.on(database.store());
        Passage.Work<Stock> nothing = held -> Completion.NOTHING;
        Passage<Stock> reserve = stock.passage(transactions, Stock.FREE, Stock.RESERVING, Stock.RESERVED, nothing);
        Passage<Stock> giveBack = stock.passage(transactions, Stock.RESERVED, Stock.RETURNING, Stock.FREE, nothing);
        UUID other = UUID.randomUUID();
        database.execute(
                "UPDATE app SET status = 'RESERVED'", "INSERT INTO app (id, status) VALUES ('" + other + "', 'FREE')");
        List<Throwable> failures = new ArrayList<>();
        Ownership<Stock> returning = transactions
                .inTransaction(SERIALIZABLE, handle -> stock.move(handle, app, Stock.RESERVED, Stock.RETURNING))
                .orElseThrow()
                .ownership();
        Transition<Stock> unused = transactions.inTransaction(
                SERIALIZABLE, handle -> stock.move(handle, other, Stock.FREE, Stock.RESERVING));

        // The other row is the younger one: within a limit, the older must not stand in its way.
        assertThat(reserve.resume(Duration.ZERO, 1, (held, failure) -> failures.add(failure)))
                .isOne();
        assertThat(reserve.undo(Duration.ZERO, 10, (held, failure) -> failures.add(failure)))
                .isZero();
        assertThat(failures).isEmpty();
        assertThat(
                        transactions
                                .inTransaction(SERIALIZABLE, handle -> stock.abandoned(handle, Duration.ZERO, 10))
                                .stream()
                                .map(Ownership::owner))
                .containsExactly(returning.owner());
        assertThat(giveBack.undo(Duration.ZERO, 10, (held, failure) -> failures.add(failure)))
                .isOne();
        assertThat(database.list("SELECT status FROM app", String.class)).containsOnly("RESERVED");
    }

    /** Moves and takeovers alike. Only PostgreSQL says which level a transaction has. */
    @Test
    void levelHoldsForEachTransaction() throws Exception {
        List<Integer> levels = new ArrayList<>();
        Passage<AppStatus> leveled = AppStatus.publication()
                .onMoved((handle, moved) -> levels.add(level(handle)))
                .build()
                .passage(Transactions.on(database.store()), DRAFT, PUBLISHING, PUBLISHED, held -> Completion.NOTHING)
                .at(SERIALIZABLE);
        database.execute("INSERT INTO app (id, status) VALUES ('" + UUID.randomUUID() + "', 'publishing')");

        assertThat(leveled.perform(app)).isInstanceOf(Moved.class);
        assertThat(leveled.resume(Duration.ZERO, 10, (held, failure) -> levels.clear()))
                .isOne();
        assertThat(levels).hasSize(4);
        if (kind == Kind.POSTGRESQL) {
            assertThat(levels).containsOnly(Connection.TRANSACTION_SERIALIZABLE);
        }
    }

    private static int level(Handle handle) {
        try {
            return handle.getConnection().getTransactionIsolation();
        } catch (SQLException thrown) {
            throw new AssertionError(thrown);
        }
    }

    @Test
    void passageThatTheGraphDoesNotHaveIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> publication.passage(
                        Transactions.on(database.store()), DRAFT, PUBLISHED, ARCHIVED, held -> Completion.NOTHING))
                .withMessageContaining("intermediate state");
    }
}
