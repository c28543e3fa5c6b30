package io.counterpoint.idempotency;

import java.time.Duration;

/**
 * Receives what happens to keys, for metrics, logs and traces. Every method does nothing unless overridden.
 *
 * <p>Methods are called on the caller's thread, some while a connection is held, so they must be quick. What they throw
 * is swallowed: a listener cannot change an outcome. A key's {@code toString} is safe to log; its scope and value are
 * not, and neither belongs in a metric's tag.
 */
public interface IdempotencyListener {

    /**
     * A call became the leader of a key that had no record. Not called where the record is inserted last, as there is no
     * claim: {@link #succeeded} comes without it.
     *
     * @param key the key
     */
    default void claimed(IdempotencyKey key) {}

    /**
     * A leader's effect and its record are committed; for an external effect: the work returned, and the record says so.
     *
     * @param key the key
     */
    default void succeeded(IdempotencyKey key) {}

    /**
     * An attempt became {@code Failed}, durably: by its leader, or by a follower that proved it abandoned.
     *
     * @param key the key
     * @param failure why
     */
    default void failed(IdempotencyKey key, Failure failure) {}

    /**
     * A leader's work failed and its claim was removed, so the key can be used again.
     *
     * @param key the key
     */
    default void released(IdempotencyKey key) {}

    /**
     * A leader's transaction was rolled back for a passing reason and the work is about to run again.
     *
     * @param key the key
     * @param cause what was thrown
     */
    default void runAgain(IdempotencyKey key, Throwable cause) {}

    /**
     * A caller got the stored result.
     *
     * @param key the key
     */
    default void replayed(IdempotencyKey key) {}

    /**
     * A follower found a committed effect behind a {@code Pending} record and turned it into {@code Succeeded}.
     *
     * @param key the key
     */
    default void healed(IdempotencyKey key) {}

    /**
     * A call ended with the answer that a leader may be at work.
     *
     * @param key the key
     * @param age the time since the leader's last change
     */
    default void inProgress(IdempotencyKey key, Duration age) {}

    /**
     * A call ended with the answer that the attempt had failed for good.
     *
     * @param key the key
     * @param failure why
     */
    default void rejected(IdempotencyKey key, Failure failure) {}

    /**
     * A caller was refused because the key belongs to another request.
     *
     * @param key the key
     */
    default void keyReused(IdempotencyKey key) {}

    /**
     * A follower became the leader of an abandoned key and is about to run the work.
     *
     * @param key the key
     */
    default void takenOver(IdempotencyKey key) {}

    /**
     * A commit, or an external effect, ended without an answer. What follows resolves it, or the caller gets an
     * {@link IdempotencyException.OutcomeUnknownException}.
     *
     * @param key the key
     * @param cause what was thrown
     */
    default void commitUnknown(IdempotencyKey key, Throwable cause) {}

    /**
     * The fate of a leader's transaction was settled under the record's lock: after an unknown commit by the leader
     * itself, or for an abandoned key by a follower.
     *
     * @param key the key
     * @param committed whether the effect is there
     */
    default void arbitrated(IdempotencyKey key, boolean committed) {}

    /**
     * A callback that the work registered threw after the commit. The effect and its record are committed, and the caller
     * gets the result.
     *
     * @param key the key
     * @param thrown what the callback threw
     */
    default void afterCommitFailed(IdempotencyKey key, Throwable thrown) {}

    /**
     * A task of the work was still using the connection when the work ended. Nothing is committed, and the connection is
     * ended where it can be: the task may be doing anything. The work has to wait for its tasks, also after a time limit.
     *
     * @param key the key; of a batch, its first
     */
    default void workOutlived(IdempotencyKey key) {}

    /**
     * A part of an effect may be committed without its record: the work has ended its transaction, or a commit was not
     * answered and its record is gone. No retry runs the work again. Somebody has to look whether the effect is there.
     *
     * @param key the key
     * @param told what the caller gets, with the state that the key is in
     */
    default void unresolved(IdempotencyKey key, IdempotencyException.OutcomeUnknownException told) {}
}
