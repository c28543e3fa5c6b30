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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What a passage does with its work. Deaths are in {@link PublishingTest}. */
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

    @Test
    void passageThatTheGraphDoesNotHaveIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> publication.passage(
                        Transactions.on(database.store()), DRAFT, PUBLISHED, ARCHIVED, held -> Completion.NOTHING))
                .withMessageContaining("intermediate state");
    }
}
