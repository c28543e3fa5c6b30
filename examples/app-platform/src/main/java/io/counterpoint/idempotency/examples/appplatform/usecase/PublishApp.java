package io.counterpoint.idempotency.examples.appplatform.usecase;

import static io.counterpoint.idempotency.examples.appplatform.usecase.AppStatus.DRAFT;
import static io.counterpoint.idempotency.examples.appplatform.usecase.AppStatus.PUBLISHED;
import static io.counterpoint.idempotency.examples.appplatform.usecase.AppStatus.PUBLISHING;
import static io.counterpoint.idempotency.jdbc.Isolation.SERIALIZABLE;

import io.counterpoint.idempotency.consistency.ConflictException;
import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.transition.Ownership;
import io.counterpoint.idempotency.consistency.transition.StatusTransitions;
import io.counterpoint.idempotency.consistency.transition.Transition;
import io.counterpoint.idempotency.consistency.transition.Transition.Moved;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;

/**
 * A draft becomes published, once, with its policy and its artifact. In between it is publishing and has an owner, who
 * builds the artifact; if the owner dies, it is finished by another, or goes back to draft if it can no longer be
 * published. Where building fails, it is a draft again at once, and says why.
 */
public final class PublishApp {

    public static final Policy POLICY = new Policy(
            "publish App",
            "/publications",
            Policy.Key.STATE,
            "a status transition with an owner",
            "App, Policy and artifact's digest, history, events",
            SERIALIZABLE,
            Policy.SESSION);

    /** Where artifacts are stored. */
    public interface Artifacts {

        /** Stores an artifact under the digest of its content, which it returns. The same may be stored again. */
        String store(byte[] content) throws IOException;
    }

    private final Transactions transactions;
    private final StatusTransitions<AppStatus> publication;
    private final Artifacts artifacts;
    private final Consumer<Step> at;

    public PublishApp(Transactions transactions, Artifacts artifacts, AppEvents events, Consumer<Step> at) {
        this.transactions = transactions;
        this.artifacts = artifacts;
        this.at = at;
        this.publication = StatusTransitions.of(AppStatus.graph())
                .table("app")
                .owner("publisher", "publishing_since")
                .onMoved((handle, moved) -> events.appChanged(handle, moved.id()))
                .build();
    }

    public StatusTransitions<AppStatus> publication() {
        return publication;
    }

    public Transition<AppStatus> execute(long workspace, UUID app) throws Refusal {
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
    public int resume(Duration olderThan, BiConsumer<Ownership<AppStatus>, RuntimeException> onFailure) {
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
            return finish(held, build(held));
        } catch (RuntimeException failed) {
            Transition<AppStatus> back;
            try {
                back = transactions.inTransaction(POLICY.isolation(), handle -> {
                    Transition<AppStatus> move = publication.move(handle, held, DRAFT);
                    if (move instanceof Moved) {
                        handle.execute(
                                "UPDATE app SET publication_error = ? WHERE id = ?", Refusal.kind(failed), held.id());
                    }
                    return move;
                });
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

    /**
     * Stores what is published; nothing if it can no longer be. Who goes on where another died stores the same under the
     * same digest.
     */
    private Optional<String> build(Ownership<AppStatus> held) {
        Optional<String> content = transactions.inTransaction(
                POLICY.isolation(),
                handle -> handle.createQuery("""
                                SELECT a.workspace_id, a.name, (SELECT max(v.number) FROM app_version v WHERE v.app_id = a.id)
                                FROM app a WHERE a.id = ? AND a.deleted_at IS NULL
                                """)
                        .bind(0, held.id())
                        .map((row, context) -> "app: " + held.id() + "\nworkspace: " + row.getLong(1) + "\nversion: "
                                + row.getInt(3) + "\nname: " + row.getString(2) + "\n")
                        .findOne());
        Optional<String> digest = content.map(text -> {
            try {
                return artifacts.store(text.getBytes(StandardCharsets.UTF_8));
            } catch (IOException e) {
                throw new UncheckedIOException("The artifact of app " + held.id() + " was not stored.", e);
            }
        });
        at.accept(Step.ARTIFACT_STORED);
        return digest;
    }

    private Transition<AppStatus> finish(Ownership<AppStatus> held, Optional<String> artifact) {
        return transactions.inTransaction(POLICY.isolation(), handle -> {
            boolean possible = artifact.isPresent()
                    && handle.createQuery("""
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
                        "UPDATE app SET artifact = ?, publication_error = NULL WHERE id = ?",
                        artifact.orElseThrow(),
                        held.id());
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
