package io.counterpoint.idempotency.examples.appplatform.usecase;

import static io.counterpoint.idempotency.examples.appplatform.usecase.AppStatus.DRAFT;
import static io.counterpoint.idempotency.examples.appplatform.usecase.AppStatus.PUBLISHED;
import static io.counterpoint.idempotency.examples.appplatform.usecase.AppStatus.PUBLISHING;
import static io.counterpoint.idempotency.jdbc.Isolation.READ_COMMITTED;
import static io.counterpoint.idempotency.jdbc.Isolation.SERIALIZABLE;

import io.counterpoint.idempotency.consistency.CommitUnknownException;
import io.counterpoint.idempotency.consistency.ConflictException;
import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.transition.Ownership;
import io.counterpoint.idempotency.consistency.transition.Passage;
import io.counterpoint.idempotency.consistency.transition.Passage.Completion;
import io.counterpoint.idempotency.consistency.transition.StatusTransitions;
import io.counterpoint.idempotency.consistency.transition.Transition;
import io.counterpoint.idempotency.consistency.transition.Transition.Moved;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;

/**
 * A draft is published once, with its policy and its artifact. Meanwhile it is in the state publishing, with an owner
 * that builds the artifact. If the owner dies, another one finishes the publication, or returns it to draft if the app
 * can no longer be published. If building fails, the app becomes a draft again immediately, with the reason.
 */
public final class PublishApp {

    public static final Policy POLICY = new Policy(
            "publish App",
            "/publications",
            Policy.Key.STATE,
            "a status transition with an owner",
            "App, Policy and artifact's digest, history, events",
            SERIALIZABLE,
            Policy.STRONG);

    /** The storage for artifacts. */
    public interface Artifacts {

        /** Stores an artifact under the digest of its content, and returns the digest. Storing it again is safe. */
        String store(byte[] content) throws IOException;
    }

    private final Transactions transactions;
    private final StatusTransitions<AppStatus> publication;
    private final Passage<AppStatus> passage;
    private final Artifacts artifacts;
    private final Consumer<Step> at;

    public PublishApp(Transactions transactions, Artifacts artifacts, AppEvents events, Consumer<Step> at) {
        this.transactions = transactions;
        this.artifacts = artifacts;
        this.at = at;
        this.publication = StatusTransitions.builder(AppStatus.graph())
                .table("app")
                .owner("publisher", "publishing_since")
                .updated("updated_at")
                .onMoved((handle, moved) -> {
                    events.appChanged(handle, moved.id());
                    if (moved.from() == DRAFT) {
                        at.accept(Step.PUBLISH_NOT_BEGUN);
                    }
                })
                .build();
        this.passage = publication
                .passage(transactions, DRAFT, PUBLISHING, PUBLISHED, this::publish)
                .at(POLICY.isolation())
                .whenBack(failed -> Completion.set("publication_error", Refusal.kind(failed)));
    }

    public StatusTransitions<AppStatus> publication() {
        return publication;
    }

    public Transition<AppStatus> execute(long workspace, UUID app) throws Refusal {
        transactions.useTransaction(READ_COMMITTED, handle -> requireInWorkspace(handle, workspace, app));
        try {
            Transition<AppStatus> published = passage.perform(app);
            if (published instanceof Moved) {
                at.accept(Step.PUBLISHED);
            }
            return published;
        } catch (Refusal | ConflictException | CommitUnknownException answer) {
            throw answer;
        } catch (Exception failed) {
            throw Refusal.publicationFailed(failed);
        }
    }

    /**
     * Finishes publications that others abandoned at least this long ago; if that fails, the app becomes a draft again.
     * Returns how many were resumed.
     */
    public int resume(Duration olderThan, BiConsumer<Ownership<AppStatus>, RuntimeException> onFailure) {
        return passage.resume(olderThan, 100, onFailure);
    }

    /**
     * Stores the artifact, which has the same digest if another owner has stored it before. Publishes the app with its
     * policy, unless the app or its workspace has been deleted.
     */
    private Completion publish(Ownership<AppStatus> held) throws Refusal, IOException {
        at.accept(Step.PUBLISH_BEGUN);
        String content = transactions.inTransaction(
                POLICY.isolation(),
                handle -> handle.createQuery("""
                                SELECT a.workspace_id, a.name, (SELECT max(v.number) FROM app_version v WHERE v.app_id = a.id)
                                FROM app a WHERE a.id = ? AND a.deleted_at IS NULL
                                """)
                        .bind(0, held.id())
                        .map((row, context) -> "app: " + held.id() + "\nworkspace: " + row.getLong(1) + "\nversion: "
                                + row.getInt(3) + "\nname: " + row.getString(2) + "\n")
                        .findOne()
                        .orElseThrow(() -> Refusal.missing("app in this workspace")));
        String digest = artifacts.store(content.getBytes(StandardCharsets.UTF_8));
        at.accept(Step.ARTIFACT_STORED);
        return Completion.set("artifact", digest)
                .andSet("publication_error", null)
                .and(handle -> {
                    int policies = handle.execute("""
                            INSERT INTO app_policy (id, app_id, access)
                            SELECT ?, a.id, 'workspace' FROM app a JOIN workspace w ON w.id = a.workspace_id
                            WHERE a.id = ? AND a.deleted_at IS NULL
                            """, UUID.randomUUID(), held.id());
                    if (policies == 0) {
                        throw Refusal.missing("app in this workspace");
                    }
                    at.accept(Step.PUBLISH_NOT_FINISHED);
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
            throw Refusal.missing("app in this workspace");
        }
    }
}
