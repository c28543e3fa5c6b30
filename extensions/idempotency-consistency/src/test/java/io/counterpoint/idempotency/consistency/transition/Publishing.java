package io.counterpoint.idempotency.consistency.transition;

import static io.counterpoint.idempotency.consistency.transition.AppStatus.DRAFT;
import static io.counterpoint.idempotency.consistency.transition.AppStatus.PUBLISHED;
import static io.counterpoint.idempotency.consistency.transition.AppStatus.PUBLISHING;
import static io.counterpoint.idempotency.jdbc.Isolation.SERIALIZABLE;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.outbox.IdempotentConsumer;
import io.counterpoint.idempotency.consistency.outbox.Outbox;
import io.counterpoint.idempotency.consistency.outbox.OutboxEvent;
import io.counterpoint.idempotency.consistency.outbox.OutboxPublisher;
import io.counterpoint.idempotency.consistency.testing.TestDatabase;
import io.counterpoint.idempotency.consistency.transition.Passage.Completion;
import io.counterpoint.idempotency.consistency.transition.Transition.Moved;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;

/** A use case of all parts together: an app and its policy are published, and somebody counts what was published. */
public final class Publishing {

    /** Where a process may die. */
    public enum Step {
        BEFORE_BEGIN,
        BEGIN_NOT_COMMITTED,
        BEGUN,
        FINISH_NOT_COMMITTED,
        FINISHED,
        EVENT_CLAIMED,
        EVENT_APPLIED
    }

    /** What an abandoned publishing comes to. */
    public enum Resumption {
        COMPLETED,
        COMPENSATED
    }

    private final TestDatabase database;
    private final Consumer<Step> at;
    private final Outbox outbox = Outbox.create();
    private final StatusTransitions<AppStatus> publication;
    private final Passage<AppStatus> passage;

    public Publishing(TestDatabase database, Consumer<Step> at) {
        this.database = database;
        this.at = at;
        this.publication = AppStatus.publication()
                .onMoved((handle, moved) -> {
                    outbox.append(
                            handle, OutboxEvent.ordered("app", moved.id().toString(), moved.from() + ">" + moved.to()));
                    if (moved.from() == DRAFT) {
                        at.accept(Step.BEGIN_NOT_COMMITTED);
                    }
                })
                .build();
        this.passage = publication
                .passage(Transactions.on(database.store()).withRetries(200), DRAFT, PUBLISHING, PUBLISHED, held -> {
                    at.accept(Step.BEGUN);
                    return Completion.of(handle -> {
                        handle.execute(
                                "INSERT INTO policy (app) VALUES (?)", held.id().toString());
                        at.accept(Step.FINISH_NOT_COMMITTED);
                    });
                })
                .at(SERIALIZABLE);
    }

    /** Neither the policy nor what was applied has a key of its own, so duplicates show. */
    public void createTables() {
        database.jdbi().useHandle(handle -> {
            publication.createHistoryIfMissing(handle);
            outbox.createTableIfMissing(handle);
        });
        database.execute(
                AppStatus.APP_TABLE,
                "CREATE TABLE policy (app varchar(100) NOT NULL)",
                "CREATE TABLE applied (app varchar(100) NOT NULL, move varchar(100) NOT NULL)");
    }

    public UUID draft() {
        UUID app = UUID.randomUUID();
        database.execute("INSERT INTO app (id, status) VALUES ('" + app + "', 'draft')");
        return app;
    }

    public Transition<AppStatus> publish(UUID app) {
        at.accept(Step.BEFORE_BEGIN);
        Transition<AppStatus> published = performed(passage, app);
        if (published instanceof Moved) {
            at.accept(Step.FINISHED);
        }
        return published;
    }

    static <S extends Enum<S>> Transition<S> performed(Passage<S> passage, Object id) {
        try {
            return passage.perform(id);
        } catch (RuntimeException failed) {
            throw failed;
        } catch (Exception failed) {
            throw new AssertionError(failed);
        }
    }

    public int resume(Resumption resumption, Duration olderThan) {
        BiConsumer<Ownership<AppStatus>, RuntimeException> fail = (held, failure) -> {
            throw failure;
        };
        return resumption == Resumption.COMPLETED
                ? passage.resume(olderThan, 1000, fail)
                : passage.undo(olderThan, 1000, fail);
    }

    /** A publisher whose claims end at once if it dies. */
    public OutboxPublisher publisher() {
        IdempotentConsumer<Handle> counting = IdempotentConsumer.of(
                database.idempotency(),
                "count",
                (handle, event) -> handle.execute(
                        "INSERT INTO applied (app, move) VALUES (?, ?)",
                        event.orderKey().orElseThrow(),
                        event.payload()));
        return OutboxPublisher.builder(Transactions.on(database.store()), outbox, "app", event -> {
                    at.accept(Step.EVENT_CLAIMED);
                    counting.accept(event);
                    at.accept(Step.EVENT_APPLIED);
                })
                .claimFor(Duration.ofSeconds(30))
                .build();
    }

    /** The claims of publishers that died have ended. */
    public void letClaimsEnd() {
        database.execute("UPDATE outbox_event SET due_at = appended_at WHERE published_at IS NULL");
    }

    /** Nothing is stranded. Every move was made once, and has one event, in order. */
    public void assertConsistent(UUID app) {
        String status = database.one("SELECT status FROM app WHERE id = '" + app + "'", String.class);
        assertThat(status).isIn("draft", "published");
        assertThat(database.count("policy WHERE app = '" + app + "'")).isEqualTo(status.equals("published") ? 1 : 0);
        List<String> moves = database.list(
                "SELECT upper(concat(from_state, '>', to_state)) FROM transition_history WHERE entity_id = '" + app
                        + "' ORDER BY seq",
                String.class);
        String at = "DRAFT";
        for (String move : moves) {
            assertThat(move).startsWith(at + ">");
            at = move.substring(move.indexOf('>') + 1);
        }
        assertThat(at).isEqualToIgnoringCase(status);
        assertThat(database.list(
                        "SELECT payload FROM outbox_event WHERE order_key = '" + app + "' ORDER BY seq", String.class))
                .isEqualTo(moves);
        assertThat(database.list("SELECT move FROM applied WHERE app = '" + app + "'", String.class))
                .containsExactlyInAnyOrderElementsOf(moves);
        assertThat(database.count("outbox_event WHERE published_at IS NULL")).isZero();
    }
}
