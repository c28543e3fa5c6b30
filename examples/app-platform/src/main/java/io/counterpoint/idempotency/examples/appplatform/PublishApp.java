package io.counterpoint.idempotency.examples.appplatform;

import static io.counterpoint.idempotency.examples.appplatform.AppStatus.DRAFT;
import static io.counterpoint.idempotency.examples.appplatform.AppStatus.PUBLISHED;
import static io.counterpoint.idempotency.examples.appplatform.AppStatus.PUBLISHING;
import static org.jdbi.v3.core.transaction.TransactionIsolationLevel.SERIALIZABLE;

import io.counterpoint.idempotency.consistency.ConflictException;
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

/**
 * A draft becomes published, once, with its policy. In between it is publishing and has an owner; if the owner dies, it
 * is finished by another, or goes back to draft if it can no longer be published.
 */
final class PublishApp {

    static final Policy POLICY = new Policy(
            "publish App",
            "/publications",
            Policy.Key.STATE,
            "a guarded transition with an owner",
            "App and Policy, history, events",
            SERIALIZABLE,
            Policy.SESSION);

    private final Transactions transactions;
    private final GuardedTransitions<AppStatus> publication;
    private final Consumer<Step> at;

    PublishApp(Transactions transactions, Events events, Consumer<Step> at) {
        this.transactions = transactions;
        this.at = at;
        this.publication = GuardedTransitions.of(AppStatus.graph())
                .table("app")
                .owner("publisher", "publishing_since")
                .onMoved((handle, moved) -> events.appChanged(handle, moved.id()))
                .build();
    }

    GuardedTransitions<AppStatus> publication() {
        return publication;
    }

    Transition<AppStatus> execute(long workspace, UUID app) throws Refusal {
        Transition<AppStatus> begun = transactions.inTransaction(POLICY.isolation(), handle -> {
            requireInWorkspace(handle, workspace, app);
            Transition<AppStatus> move = publication.move(handle, app, DRAFT, PUBLISHING);
            at.accept(Step.PUBLISH_NOT_BEGUN);
            return move;
        });
        at.accept(Step.PUBLISH_BEGUN);
        if (begun instanceof Moved<AppStatus> moved) {
            Transition<AppStatus> finished = finishOrGoBack(moved.ownership());
            at.accept(Step.PUBLISHED);
            return finished;
        }
        // Where it was to go is published, not publishing.
        return begun.fold(
                moved -> moved,
                there -> new Transition.Refused<>(DRAFT, PUBLISHED, PUBLISHING),
                refused -> refused.actual() == PUBLISHED ? new Transition.AlreadyThere<>(PUBLISHED) : refused,
                missing -> missing);
    }

    /** Finishes what others have abandoned for so long, or compensates it. Returns how many. */
    int resume(Duration olderThan, BiConsumer<Ownership<AppStatus>, RuntimeException> onFailure) {
        return publication.resume(
                transactions,
                olderThan,
                100,
                held -> {
                    try {
                        if (!(finishOrGoBack(held) instanceof Moved)) {
                            throw new IllegalStateException(
                                    "Another has finished it at the same time; nothing was changed.");
                        }
                    } catch (Refusal draftAgain) {
                        throw new IllegalStateException(draftAgain.getMessage(), draftAgain);
                    }
                },
                onFailure);
    }

    /**
     * Finishes; where that fails, nobody is at it any more, so the app is a draft again at once. Where the answer of a
     * commit was lost, the token decides: going back changes nothing if the app is published.
     */
    private Transition<AppStatus> finishOrGoBack(Ownership<AppStatus> held) throws Refusal {
        try {
            return finish(held);
        } catch (RuntimeException failed) {
            Transition<AppStatus> back;
            try {
                back = transactions.inTransaction(POLICY.isolation(), handle -> publication.move(handle, held, DRAFT));
            } catch (RuntimeException also) {
                // It stays publishing, and is resumed when it has come of age.
                failed.addSuppressed(also);
                throw failed;
            }
            boolean published = back.fold(
                    moved -> false, there -> false, refused -> refused.actual() == PUBLISHED, missing -> false);
            if (published) {
                return new Transition.AlreadyThere<>(PUBLISHED);
            }
            if (!(back instanceof Moved) || failed instanceof ConflictException) {
                throw failed;
            }
            throw Refusal.publicationFailed(failed);
        }
    }

    private Transition<AppStatus> finish(Ownership<AppStatus> held) {
        return transactions.inTransaction(POLICY.isolation(), handle -> {
            boolean possible = handle.createQuery("""
                            SELECT count(*) FROM app a JOIN workspace w ON w.id = a.workspace_id
                            WHERE a.id = ? AND a.deleted_at IS NULL
                            """)
                            .bind(0, held.id())
                            .mapTo(Integer.class)
                            .one()
                    == 1;
            Transition<AppStatus> move = publication.move(handle, held, possible ? PUBLISHED : DRAFT);
            if (possible && move instanceof Moved) {
                handle.execute(
                        "INSERT INTO app_policy (id, app_id, access) VALUES (?, ?, 'workspace')",
                        UUID.randomUUID(),
                        held.id());
            }
            at.accept(Step.PUBLISH_NOT_FINISHED);
            return move;
        });
    }

    static void requireInWorkspace(Handle handle, long workspace, UUID app) throws Refusal {
        boolean there =
                handle.createQuery("SELECT count(*) FROM app WHERE id = ? AND workspace_id = ? AND deleted_at IS NULL")
                                .bind(0, app)
                                .bind(1, workspace)
                                .mapTo(Integer.class)
                                .one()
                        == 1;
        if (!there) {
            throw Refusal.missing("app");
        }
    }
}
