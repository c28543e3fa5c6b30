package io.counterpoint.idempotency.consistency.transition;

import static io.counterpoint.idempotency.consistency.transition.AppStatus.ARCHIVED;
import static io.counterpoint.idempotency.consistency.transition.AppStatus.DRAFT;
import static io.counterpoint.idempotency.consistency.transition.AppStatus.PUBLISHED;
import static io.counterpoint.idempotency.consistency.transition.AppStatus.PUBLISHING;
import static io.counterpoint.idempotency.jdbc.Isolation.READ_COMMITTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.testing.TestDatabase;
import io.counterpoint.idempotency.consistency.testing.TestDatabase.Kind;
import io.counterpoint.idempotency.consistency.transition.Transition.AlreadyThere;
import io.counterpoint.idempotency.consistency.transition.Transition.Missing;
import io.counterpoint.idempotency.consistency.transition.Transition.Moved;
import io.counterpoint.idempotency.consistency.transition.Transition.NotMovedException;
import io.counterpoint.idempotency.consistency.transition.Transition.Refused;
import io.counterpoint.idempotency.testing.Race;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.JdbiException;
import org.jdbi.v3.core.statement.SqlLogger;
import org.jdbi.v3.core.statement.SqlStatements;
import org.jdbi.v3.core.statement.StatementContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource
class StatusTransitionsTest {

    private static final UUID APP = UUID.randomUUID();

    @Parameter
    Kind kind;

    private TestDatabase database;
    private StatusTransitions<AppStatus> publication;

    @BeforeEach
    void open() {
        database = TestDatabase.create(kind);
        publication = AppStatus.publication().build();
        database.jdbi().useHandle(publication::createHistoryIfMissing);
        database.execute(AppStatus.APP_TABLE, "INSERT INTO app (id, status) VALUES ('" + APP + "', 'draft')");
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void rowMovesFromItsState() {
        Transition<AppStatus> moved = call(handle -> publication.move(handle, APP, DRAFT, ARCHIVED));
        assertThat(moved).isInstanceOf(Moved.class);
        assertThat(status()).isEqualTo("archived");
        assertThat(database.countOfTheLastMinute("transition_history", "moved_at"))
                .isEqualTo(1);
        assertThatThrownBy(() -> moved.orElseThrow().ownership()).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void rowInTheWantedStateIsNotMovedAgain() {
        assertThat(call(handle -> publication.move(handle, APP, DRAFT, ARCHIVED)))
                .isInstanceOf(Moved.class);
        assertThat(call(handle -> publication.move(handle, APP, DRAFT, ARCHIVED)))
                .isEqualTo(new AlreadyThere<>(ARCHIVED));
        assertThat(database.count("transition_history")).isEqualTo(1);
    }

    @Test
    void rowInAnotherStateIsRefusedWithItsState() {
        assertThat(call(handle -> publication.move(handle, APP, PUBLISHED, ARCHIVED)))
                .isEqualTo(new Refused<>(PUBLISHED, ARCHIVED, DRAFT));
        assertThatThrownBy(() -> call(handle ->
                        publication.move(handle, APP, PUBLISHED, ARCHIVED).orElseThrow()))
                .isInstanceOf(NotMovedException.class)
                .hasMessageContaining("found DRAFT");
    }

    @Test
    void rowThatDoesNotExistIsMissing() {
        assertThat(call(handle -> publication.move(handle, UUID.randomUUID(), DRAFT, ARCHIVED)))
                .isEqualTo(new Missing<>());
    }

    @Test
    void arrowThatWasNotDeclaredIsRefusedBeforeTheDatabaseIsAsked() {
        assertThatThrownBy(() -> publication.move(null, APP, ARCHIVED, DRAFT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no arrow from ARCHIVED to DRAFT");
        assertThatThrownBy(() -> publication.move(null, APP, PUBLISHING, PUBLISHED))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has an owner");
    }

    @Test
    void onlyTheOwnerMovesItsRowOn() {
        Ownership<AppStatus> held = begin();
        Ownership<AppStatus> stranger = new Ownership<>(APP, PUBLISHING, Optional.of(UUID.randomUUID()));
        assertThat(call(handle -> publication.move(handle, stranger, PUBLISHED)))
                .isEqualTo(new Refused<>(PUBLISHING, PUBLISHED, PUBLISHING));
        assertThat(call(handle -> publication.move(handle, held, PUBLISHED))).isInstanceOf(Moved.class);
        assertThat(status()).isEqualTo("published");
        assertThat(database.count("app WHERE publisher IS NULL AND publishing_since IS NULL"))
                .isEqualTo(1);
    }

    @Test
    void secondCallerGetsAlreadyThere() {
        begin();
        assertThat(call(handle -> publication.move(handle, APP, DRAFT, PUBLISHING)))
                .isEqualTo(new AlreadyThere<>(PUBLISHING));
    }

    @Test
    void supersededOwnerMovesNothing() {
        Ownership<AppStatus> first = begin();
        Ownership<AppStatus> second = call(handle -> publication.takeOver(handle, first))
                .orElseThrow()
                .ownership();
        assertThat(second.owner()).isNotEqualTo(first.owner());
        assertThat(call(handle -> publication.move(handle, first, PUBLISHED))).isInstanceOf(Refused.class);
        assertThat(call(handle -> publication.move(handle, first, DRAFT))).isInstanceOf(Refused.class);
        assertThat(call(handle -> publication.takeOver(handle, first))).isInstanceOf(Refused.class);
        assertThat(renew(first)).isFalse();
        assertThat(renew(second)).isTrue();
        assertThat(call(handle -> publication.move(handle, second, PUBLISHED))).isInstanceOf(Moved.class);
    }

    @Test
    void abandonedRowIsFoundWhenItIsOldEnough() {
        Ownership<AppStatus> held = begin();
        assertThat(abandoned()).isEmpty();
        age("61 SECOND");
        assertThat(abandoned())
                .extracting(found -> found.id(UUID.class), Ownership::state, Ownership::owner)
                .containsExactly(tuple(APP, PUBLISHING, held.owner()));
        assertThat(renew(held)).isTrue();
        assertThat(abandoned()).isEmpty();
    }

    @Test
    void rowPutIntoAnIntermediateStateByHandCanBeTakenOverAtOnce() {
        database.execute("UPDATE app SET status = 'publishing'");
        List<Ownership<AppStatus>> found = abandoned();
        assertThat(found).hasSize(1);
        assertThat(found.get(0).owner()).isEmpty();
        assertThat(found.get(0).id(UUID.class)).isEqualTo(APP);
        Ownership<AppStatus> taken = call(handle -> publication.takeOver(handle, found.get(0)))
                .orElseThrow()
                .ownership();
        assertThat(call(handle -> publication.move(handle, taken, DRAFT))).isInstanceOf(Moved.class);
    }

    @Test
    void abandonedRowGoesToOneOfManyResumingCallers() {
        begin();
        age("1 HOUR");
        List<Race.Result<Integer>> results = Race.of(
                16,
                number -> publication.resume(
                        Transactions.on(database.store()),
                        Duration.ofMinutes(1),
                        10,
                        held -> call(handle ->
                                publication.move(handle, held, PUBLISHED).orElseThrow())));
        assertThat(results.stream().mapToInt(Race.Result::orFail).sum()).isEqualTo(1);
        assertThat(status()).isEqualTo("published");
    }

    @Test
    void failingRowDelaysNoOther() {
        Ownership<AppStatus> unused = begin();
        age("2 HOUR");
        UUID other = UUID.randomUUID();
        database.execute("INSERT INTO app (id, status) VALUES ('" + other + "', 'draft')");
        call(handle -> publication.move(handle, other, DRAFT, PUBLISHING)).orElseThrow();
        age("1 HOUR");
        List<Object> tried = new ArrayList<>();
        assertThatThrownBy(() ->
                        publication.resume(Transactions.on(database.store()), Duration.ofMinutes(1), 10, held -> {
                            tried.add(held.id(UUID.class));
                            if (held.id(UUID.class).equals(APP)) {
                                throw new IllegalStateException("it keeps failing");
                            }
                            call(handle -> publication.move(handle, held, PUBLISHED))
                                    .orElseThrow();
                        }))
                .hasMessage("it keeps failing");
        assertThat(tried).containsExactly(APP, other);
        assertThat(database.count("app WHERE status = 'published'")).isEqualTo(1);
        assertThat(abandoned()).as("it has a new age").isEmpty();
    }

    /** Jdbi does not know inet. */
    @Test
    void rowWhoseIdentifierOnlyTheDriverKnowsIsResumed() {
        String type = kind == Kind.POSTGRESQL ? "inet" : "varchar(40)";
        database.execute(
                AppStatus.APP_TABLE
                        .replace("TABLE app", "TABLE host")
                        .replace("uuid         PRIMARY", type + " PRIMARY"),
                "INSERT INTO host (id, status) VALUES ('10.0.0.1', 'publishing')");
        StatusTransitions<AppStatus> hosts =
                AppStatus.publication().table("host").build();

        List<String> resumed = new ArrayList<>();
        assertThat(hosts.resume(Transactions.on(database.store()), Duration.ZERO, 10, held -> {
                    call(handle -> hosts.move(handle, held, PUBLISHED)).orElseThrow();
                    resumed.add(held.id().toString());
                }))
                .isEqualTo(1);

        assertThat(resumed).containsExactly("10.0.0.1");
        assertThat(database.count("host WHERE status = 'published'")).isEqualTo(1);
    }

    @Test
    void historyHasEveryMoveOfTheRowInOrder() {
        Ownership<AppStatus> held = begin();
        Ownership<AppStatus> taken =
                call(handle -> publication.takeOver(handle, held)).orElseThrow().ownership();
        call(handle -> publication.move(handle, taken, DRAFT)).orElseThrow();
        assertThat(database.list(
                        "SELECT concat(from_state, '>', to_state) FROM transition_history WHERE machine = 'app-publication'"
                                + " AND entity_id = '" + APP + "' ORDER BY seq",
                        String.class))
                .containsExactly("draft>publishing", "publishing>publishing", "publishing>draft");
    }

    @Test
    void moveWhoseCompanionFailsIsUndone() {
        StatusTransitions<AppStatus> failing = AppStatus.publication()
                .onMoved((handle, moved) -> {
                    throw new UnsupportedOperationException("no event");
                })
                .build();
        assertThatThrownBy(() -> call(handle -> failing.move(handle, APP, DRAFT, ARCHIVED)))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThat(status()).isEqualTo("draft");
        assertThat(database.count("transition_history")).isZero();
    }

    @Test
    void moveWaitsForAnotherInFlightAndGoesByItsEnd() throws Exception {
        var other = database.jdbi().open();
        other.begin();
        other.execute("UPDATE app SET status = 'archived'");
        var answer = new FutureTask<>(() -> call(handle -> publication.move(handle, APP, DRAFT, ARCHIVED)));
        Thread thread = new Thread(answer);
        thread.start();
        while (!answer.isDone() && !database.isAWriterWaiting()) {
            LockSupport.parkNanos(1_000_000);
        }
        assertThat(answer).as("it waits for the lock on the row").isNotDone();
        other.commit();
        other.close();
        assertThat(answer.get(30, TimeUnit.SECONDS)).isEqualTo(new AlreadyThere<>(ARCHIVED));
    }

    /** The move is refused by an update that saw the old state, and then finds the row where it should be. */
    @Test
    void moveThatComesIntoReachBetweenItsTwoStatementsIsMade() {
        call(handle -> publication.move(handle, APP, DRAFT, ARCHIVED)).orElseThrow();
        Transition<AppStatus> answer = call(handle -> {
            handle.getConfig(SqlStatements.class).setSqlLogger(new SqlLogger() {
                private boolean done;

                @Override
                public void logAfterExecution(StatementContext context) {
                    if (!done && context.getRenderedSql().startsWith("UPDATE app")) {
                        done = true;
                        database.execute("UPDATE app SET status = 'draft'");
                    }
                }
            });
            return publication.move(handle, APP, DRAFT, ARCHIVED);
        });
        assertThat(answer).isInstanceOf(Moved.class);
        assertThat(database.count("transition_history")).isEqualTo(2);
    }

    @Test
    void tableWithAStateThatTheGraphDoesNotKnowIsRefused() {
        database.jdbi().useHandle(publication::checkTable);
        database.execute("INSERT INTO app (id, status) VALUES ('" + UUID.randomUUID() + "', 'limbo')");
        assertThatThrownBy(() -> database.jdbi().useHandle(publication::checkTable))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("[limbo]");
    }

    /** Each has one fault. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            id uuid NOT NULL, status varchar(20), publisher uuid, since timestamp with time zone | id is not a key of its own
            id uuid PRIMARY KEY, status varchar(20), publisher varchar(10), since timestamp with time zone | publisher is a
            id uuid PRIMARY KEY, status varchar(20), publisher uuid, since date | since is a
            id uuid PRIMARY KEY, status varchar(20), publisher uuid, since timestamp | since is a
            id uuid PRIMARY KEY, status varchar(20), publisher uuid NOT NULL, since timestamp with time zone | publisher is NOT NULL
            """)
    @Tag("thorough")
    void tableThatDoesNotFitIsRefused(String columns, String why) {
        database.execute("CREATE TABLE unfit (" + columns + ")");
        StatusTransitions<AppStatus> unfit = StatusTransitions.builder(AppStatus.graph())
                .table("unfit")
                .owner("publisher", "since")
                .build();
        assertThatThrownBy(() -> database.jdbi().useHandle(unfit::checkTable))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("does not fit")
                .hasMessageContaining(why);
    }

    @Test
    void tableWhoseEngineRollsNothingBackIsRefused() {
        boolean hasEngines = kind == Kind.MARIADB;
        database.execute("CREATE TABLE unfit (id uuid PRIMARY KEY, status varchar(20), publisher uuid,"
                + " since timestamp with time zone)" + (hasEngines ? " ENGINE = MyISAM" : ""));
        StatusTransitions<AppStatus> other = StatusTransitions.builder(AppStatus.graph())
                .table("unfit")
                .owner("publisher", "since")
                .build();
        if (hasEngines) {
            assertThatThrownBy(() -> database.jdbi().useHandle(other::checkTable))
                    .hasMessageContaining("ENGINE = InnoDB");
        } else {
            database.jdbi().useHandle(other::checkTable);
        }
    }

    @ParameterizedTest
    @CsvSource({"publisher, nothing", "nothing, publishing_since"})
    @Tag("thorough")
    void tableWithoutAColumnIsRefused(String owner, String since) {
        StatusTransitions<AppStatus> unfit = StatusTransitions.builder(AppStatus.graph())
                .table("app")
                .owner(owner, since)
                .build();
        assertThatThrownBy(() -> database.jdbi().useHandle(unfit::checkTable))
                .isInstanceOf(JdbiException.class)
                .hasMessageContainingAll("nothing");
    }

    /** The collations of MariaDB and MySQL take one for the other. */
    @Test
    void textThatIsAlmostAStateIsNotMoved() {
        database.execute("UPDATE app SET status = 'Draft'");
        assertThatThrownBy(() -> call(handle -> publication.move(handle, APP, DRAFT, ARCHIVED)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'Draft'");
        assertThat(status()).isEqualTo("Draft");
    }

    @Test
    void historyCanHaveAnotherName() {
        StatusTransitions<AppStatus> other =
                AppStatus.publication().history("app_history").build();
        database.jdbi().useHandle(other::createHistoryIfMissing);
        call(handle -> other.move(handle, APP, DRAFT, ARCHIVED)).orElseThrow();
        assertThat(database.count("app_history")).isEqualTo(1);
        assertThat(database.count("transition_history")).isZero();
    }

    @Test
    void builderWithoutTableOrOwnerIsRefused() {
        assertThatThrownBy(() -> StatusTransitions.builder(AppStatus.graph()).build())
                .hasMessageContaining("needs the table");
        assertThatThrownBy(() -> StatusTransitions.builder(AppStatus.graph())
                        .table("app")
                        .build())
                .hasMessageContaining("declare the columns for the owner");
        assertThatThrownBy(() -> StatusTransitions.builder(AppStatus.graph()).table("app; DROP TABLE app"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private Ownership<AppStatus> begin() {
        return call(handle -> publication.move(handle, APP, DRAFT, PUBLISHING))
                .orElseThrow()
                .ownership();
    }

    private List<Ownership<AppStatus>> abandoned() {
        return database.jdbi().withHandle(handle -> publication.abandoned(handle, Duration.ofMinutes(1), 10));
    }

    private void age(String interval) {
        String[] parts = interval.split(" ", -1);
        database.execute(
                "UPDATE app SET publishing_since = publishing_since - INTERVAL '%s' %s".formatted(parts[0], parts[1]));
    }

    private String status() {
        return database.one("SELECT status FROM app WHERE id = '" + APP + "'", String.class);
    }

    private boolean renew(Ownership<AppStatus> held) {
        return Transactions.on(database.store())
                .inTransaction(READ_COMMITTED, handle -> publication.renew(handle, held));
    }

    private Transition<AppStatus> call(Function<Handle, Transition<AppStatus>> work) {
        return Transactions.on(database.store()).inTransaction(READ_COMMITTED, work::apply);
    }
}
