package io.counterpoint.idempotency;

import java.time.Duration;
import java.util.Optional;

/**
 * What happened to a key in a call: for metrics, logs and traces, by an {@link IdempotencyListener}.
 *
 * <p>Events are immutable and safe to log: {@code toString} shows the hashed key and the class of a cause, never a
 * scope, a key, a result or a message. A minor version of the library may add events, so a {@code switch} over them
 * needs a {@code default}. The records below will not get additional components.
 */
public sealed interface IdempotencyEvent {

    /**
     * Returns the call in which it happened.
     *
     * @return the key and the progress of the call
     */
    Details details();

    /**
     * Returns the key. Its {@code toString} is safe to log; its scope and value are not, and neither belongs in a
     * metric tag.
     *
     * @return the key
     */
    default IdempotencyKey key() {
        return details().key();
    }

    /**
     * Returns the exception that caused the event, if any. Its message may contain data sent by the caller.
     *
     * @return the exception of {@link Retried}, {@link CommitUnknown}, {@link LookupFailed}, {@link AfterCommitFailed},
     *     {@link Unresolved}, {@link FollowUpOwed} and {@link WrongResults}
     */
    default Optional<Throwable> cause() {
        return details().cause();
    }

    /**
     * Returns a stable name for a metric tag: the name of the record in lower case, with underscores.
     *
     * @return the name, such as {@code commit_unknown}
     */
    default String name() {
        StringBuilder name = new StringBuilder();
        for (char letter : getClass().getSimpleName().toCharArray()) {
            boolean capital = letter <= 'Z';
            name.append(capital && !name.isEmpty() ? "_" : "").append((char) (capital ? letter - 'A' + 'a' : letter));
        }
        return name.toString();
    }

    /**
     * The call in which something happened.
     *
     * @param key the key
     * @param runs how often this call has started the work so far: 0 before the first run and for a follower
     * @param elapsed how long the call has taken so far
     * @param cause see {@link IdempotencyEvent#cause()}
     */
    record Details(IdempotencyKey key, int runs, Duration elapsed, Optional<Throwable> cause) {
        @Override
        public String toString() {
            return key + ", run " + runs + ", after " + elapsed.toMillis() + " ms"
                    + cause.map(thrown -> ", " + thrown.getClass().getName()).orElse("");
        }
    }

    /**
     * A call became the leader of a key that had no record. Not sent when the record is inserted last, because there is
     * no claim: only {@link Succeeded} is sent.
     *
     * @param details the call
     */
    record Claimed(Details details) implements IdempotencyEvent {}

    /**
     * A leader's effect and its record are committed. For an external effect: the work returned, and its record is
     * committed.
     *
     * @param details the call
     */
    record Succeeded(Details details) implements IdempotencyEvent {}

    /**
     * An attempt became {@code Failed}, durably: by its leader, by a follower that proved it abandoned, or by an operator.
     *
     * @param details the call
     * @param failure why
     */
    record Failed(Details details, Failure failure) implements IdempotencyEvent {}

    /**
     * A leader's work failed and its claim was removed, so the key can be used again.
     *
     * @param details the call
     */
    record Released(Details details) implements IdempotencyEvent {}

    /**
     * A leader's transaction was rolled back for a transient reason, the {@link #cause}, and the work is about to run
     * again.
     *
     * @param details the call
     */
    record Retried(Details details) implements IdempotencyEvent {}

    /**
     * A caller received the stored result.
     *
     * @param details the call
     */
    record Replayed(Details details) implements IdempotencyEvent {}

    /**
     * A follower found a committed effect behind a {@code Pending} record and turned it into {@code Succeeded}, or an
     * operator did.
     *
     * @param details the call
     */
    record Healed(Details details) implements IdempotencyEvent {}

    /**
     * A call returned {@link Outcome.InProgress}: a leader may be at work.
     *
     * @param details the call
     * @param age the time since the leader's last change
     */
    record InProgress(Details details, Duration age) implements IdempotencyEvent {}

    /**
     * A call would have waited for a leader, but the maximum number of callers were already waiting. {@link InProgress}
     * follows.
     *
     * @param details the call
     * @see OperationBuilder#maxWaiting
     */
    record WaitRefused(Details details) implements IdempotencyEvent {}

    /**
     * A call returned {@link Outcome.Rejected}: the attempt has failed permanently.
     *
     * @param details the call
     * @param failure why
     */
    record Rejected(Details details, Failure failure) implements IdempotencyEvent {}

    /**
     * A call returned {@link Outcome.KeyReused}: the key belongs to a different request.
     *
     * @param details the call
     */
    record KeyReused(Details details) implements IdempotencyEvent {}

    /**
     * A follower became the leader of an abandoned key and is about to run the work.
     *
     * @param details the call
     */
    record TakenOver(Details details) implements IdempotencyEvent {}

    /**
     * The reply to a commit or to an external request was lost; the {@link #cause} says how. The call then resolves it,
     * or the caller gets an {@link OutcomeUnknownException}.
     *
     * @param details the call
     */
    record CommitUnknown(Details details) implements IdempotencyEvent {}

    /**
     * A lookup threw the {@link #cause}, or returned null. Nothing is known about the effect, the record stays
     * unchanged, and the caller gets an {@link OutcomeUnknownException}.
     *
     * @param details the call
     */
    record LookupFailed(Details details) implements IdempotencyEvent {}

    /**
     * The outcome of a leader's transaction was determined under the record's lock: by the leader itself after an
     * unknown commit, or by a follower for an abandoned key.
     *
     * @param details the call
     * @param committed whether the effect was committed
     */
    record Arbitrated(Details details, boolean committed) implements IdempotencyEvent {}

    /**
     * A callback that the work registered threw the {@link #cause} after the commit. The effect and its record are
     * committed, and the caller gets the result.
     *
     * @param details the call
     */
    record AfterCommitFailed(Details details) implements IdempotencyEvent {}

    /**
     * A task of the work was still using the connection when the work ended. Nothing is committed, and the connection
     * is terminated if possible, because the task may still be using it. The work has to wait for its tasks, even after
     * a time limit.
     *
     * @param details the call; for a batch, its first
     */
    record WorkOutlived(Details details) implements IdempotencyEvent {}

    /**
     * Part of an effect may be committed without its record, because the work ended its transaction, or because the
     * reply to a commit was lost and its record is gone. Or an external attempt is {@code Failed} although its effect
     * exists. No retry runs the work again; an operator has to check whether the effect exists. The {@link #cause}
     * describes the state of the key. The caller gets it too, unless it is the leader of such a failed attempt, which
     * keeps its result.
     *
     * @param details the call
     */
    record Unresolved(Details details) implements IdempotencyEvent {}

    /**
     * An external effect exists, but its follow-up could not be committed or is not known to be; the {@link #cause}
     * says why. The next call with the key resumes the follow-up.
     *
     * @param details the call
     */
    record FollowUpOwed(Details details) implements IdempotencyEvent {}

    /**
     * The work of a batch returned a different number of results than it received attempts; the {@link #cause} has both
     * numbers. Nothing is committed. The event is sent for each attempt; their keys can be used again.
     *
     * @param details the call
     */
    record WrongResults(Details details) implements IdempotencyEvent {}

    /**
     * Operations of one {@link Idempotency} share a name but differ in kind, in the class of their codec or in where
     * they are built. If they are two use cases, each gets the other's results: rename one. The event is sent once per
     * name, during a call.
     *
     * @param details a call of any of them
     * @param definitions the first two of them
     */
    record NameShared(Details details, String definitions) implements IdempotencyEvent {}
}
