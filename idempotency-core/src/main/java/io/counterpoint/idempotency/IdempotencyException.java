package io.counterpoint.idempotency;

import io.counterpoint.idempotency.internal.Symptom;
import org.jspecify.annotations.Nullable;

/**
 * The exceptions that {@link Operation#execute} itself throws, and that {@link Outcome#orElseThrow} throws for an
 * outcome without a result. Exceptions of the caller's own work are rethrown as is.
 *
 * <p>The {@link #reason} says what happened, whether there is an effect and who may retry. Messages name the operation
 * and the hashed key, never the key, the scope or a result.
 */
public abstract sealed class IdempotencyException extends RuntimeException
        permits InProgressException,
                KeyReusedException,
                NotStartedException,
                OutcomeUnknownException,
                RejectedException,
                UndecodableException,
                UnstorableResultException {
    private static final long serialVersionUID = 1L;

    /** The key of the call. */
    private final IdempotencyKey key;

    /** Why there is no result. */
    private final Reason reason;

    IdempotencyException(Reason reason, IdempotencyKey key, String what, @Nullable Throwable cause) {
        super(reason.symptom().of(key + ": " + what + ". " + reason.effect().text + " " + reason.next().text), cause);
        if (reason.type() != getClass()) {
            throw new IllegalArgumentException(reason + " is a reason of "
                    + reason.type().getSimpleName() + ", not of " + getClass().getSimpleName() + ".");
        }
        this.key = key;
        this.reason = reason;
    }

    /**
     * Returns the key of the call.
     *
     * @return the key
     */
    public IdempotencyKey key() {
        return key;
    }

    /**
     * Returns why there is no result.
     *
     * @return the reason
     */
    public Reason reason() {
        return reason;
    }

    /**
     * Returns whether a program may retry with the same key, because a retry can have a different outcome.
     *
     * @return true for {@link Next#RETRY}
     */
    public boolean isRetryable() {
        return reason.next() == Next.RETRY;
    }

    /** Whether the request took effect. */
    public enum Effect {
        /** This call had no effect and will have none. */
        NONE("This call had no effect."),
        /** The effect is committed. */
        COMMITTED("The effect is committed."),
        /** The effect may exist in full, in part or not at all. */
        UNKNOWN("The outcome is unknown.");

        private final String text;

        Effect(String text) {
            this.text = text;
        }
    }

    /** Who may retry, and how. */
    public enum Next {
        /** A program may, with the same key. */
        RETRY("Retry with the same key."),
        /** The caller may, with a new key. */
        NEW_KEY("To try again, use a new key."),
        /** Something must be fixed first. */
        REPAIR("Retrying won't help until this is fixed, with this key or any other."),
        /** An operator must first check whether the request took effect. */
        INVESTIGATE("Do not retry, with this key or any other, until an operator has checked whether the request took"
                + " effect.");

        private final String text;

        Next(String text) {
            this.text = text;
        }
    }

    /** Why there is no result. A minor version may add reasons, so a {@code switch} needs a {@code default}. */
    public enum Reason {
        /** A leader may be at work, or may have died without leaving proof of the outcome. */
        IN_PROGRESS(Effect.UNKNOWN, Next.RETRY, "the leader of this attempt may still be running, or has died"),
        /** The attempt failed permanently. */
        FAILED(Effect.NONE, Next.NEW_KEY, "this attempt has failed permanently"),
        /** The key belongs to a different request. */
        KEY_REUSED(Effect.NONE, Next.NEW_KEY, "this key was already used for a different request"),
        /** The store did not respond, so nothing was claimed. */
        STORE_UNREACHABLE(Effect.NONE, Next.RETRY, "the store is unreachable"),
        /** The scope's store is currently unknown, or its records are being moved. */
        SCOPE_UNAVAILABLE(Effect.NONE, Next.RETRY, "the shard of its scope could not be determined"),
        /** The store rejects the record because of its table, a privilege or a setting. */
        STORE_UNFIT(
                Effect.NONE,
                Next.REPAIR,
                "the store rejects this record because of its table, a privilege or a setting"),
        /**
         * Every run was rolled back; under {@code RECORD_LAST}, possibly because a concurrent call with the same key is
         * running.
         */
        RUNS_ROLLED_BACK(
                Effect.NONE,
                Next.RETRY,
                "every run of the work encountered a lock, a conflict or a lost connection, and was rolled back"),
        /** The batch had no time left for this attempt. */
        BATCH_OVER(Effect.NONE, Next.RETRY, "the batch ran out of time before this attempt began"),
        /** The work of a batch did not return one result for each attempt. */
        WRONG_RESULTS(Effect.NONE, Next.REPAIR, "the joint work did not return one result per attempt"),
        /** The plan is null, rejected by its codec, or too large. Nothing has started. */
        PLAN_UNSTORABLE(Effect.NONE, Next.REPAIR, "the plan cannot be stored"),
        /**
         * The result is null, rejected by its codec, or too large. The work was rolled back, and the attempt failed.
         */
        RESULT_UNSTORABLE(Effect.NONE, Next.NEW_KEY, "the result cannot be stored"),
        /** The effect is committed, but its result was not stored, or its codec rejects it. */
        RESULT_UNREADABLE(Effect.COMMITTED, Next.REPAIR, "the stored result cannot be decoded"),
        /**
         * The leader may be at work or gone. Its stored plan, which a lookup needs to find the effect, is unreadable.
         */
        PLAN_UNREADABLE(Effect.UNKNOWN, Next.REPAIR, "the stored plan cannot be decoded"),
        /** A reply from the store was lost, and the outcome of the attempt could then not be queried. */
        DOUBT_UNRESOLVED(Effect.UNKNOWN, Next.RETRY, "the store could not be queried for the outcome of this attempt"),
        /** The reply to COMMIT was lost, and the record could not be locked in time. */
        COMMIT_UNANSWERED(
                Effect.UNKNOWN, Next.RETRY, "the reply to COMMIT was lost, and the record could not be locked"),
        /** The reply to COMMIT was lost, and so was the claim before it. */
        CLAIM_LOST(Effect.UNKNOWN, Next.RETRY, "the reply to COMMIT was lost, and so was its claim"),
        /** The work threw and was rolled back. Whether the key is failed, released or pending is not known. */
        FAILURE_UNRECORDED(
                Effect.UNKNOWN,
                Next.RETRY,
                "the work failed and was rolled back, but the failure could not be recorded"),
        /** External work threw an exception that is not declared to prove anything. */
        EXTERNAL_FAILED(Effect.UNKNOWN, Next.RETRY, "the external call failed; whether it took effect is unknown"),
        /** The effect exists. Its follow-up is not committed, or not known to be; the next call resumes it. */
        FOLLOW_UP_OWED(Effect.COMMITTED, Next.RETRY, "the request took effect, but its follow-up is not committed yet"),
        /** The record owes a follow-up that this operation does not define. */
        FOLLOW_UP_MISSING(
                Effect.UNKNOWN,
                Next.RETRY,
                "this attempt owes a follow-up that the operation in this process does not define; a process whose"
                        + " operation defines it will complete it"),
        /** The key has a record that this version cannot read. */
        RECORD_UNREADABLE(
                Effect.UNKNOWN,
                Next.REPAIR,
                "the key has a record that this version cannot read; let the later version that wrote it respond, and"
                        + " never delete the row"),
        /** The lookup threw. */
        LOOKUP_FAILED(Effect.UNKNOWN, Next.RETRY, "the lookup failed"),
        /** The work ended its transaction: part of its effect may be committed without its record. */
        ENDED_BY_WORK(Effect.UNKNOWN, Next.INVESTIGATE, "the work ended the transaction it was given"),
        /** The reply to COMMIT was lost, and its record may have been purged since. */
        RECORD_GONE(Effect.UNKNOWN, Next.INVESTIGATE, "the reply to COMMIT was lost, and its record is gone"),
        /** The external work or an operator declared that there was no effect, but the lookup finds one. */
        FAILED_WITH_EFFECT(
                Effect.COMMITTED,
                Next.INVESTIGATE,
                "this attempt was recorded as failed without an effect, but its lookup found the effect");

        private final Effect effect;
        private final Next next;
        private final String what;

        Reason(Effect effect, Next next, String what) {
            this.effect = effect;
            this.next = next;
            this.what = what;
        }

        /**
         * Returns the class of the exception with this reason.
         *
         * @return the class
         */
        public Class<? extends IdempotencyException> type() {
            return switch (this) {
                case IN_PROGRESS -> InProgressException.class;
                case FAILED -> RejectedException.class;
                case KEY_REUSED -> KeyReusedException.class;
                case STORE_UNREACHABLE, SCOPE_UNAVAILABLE, STORE_UNFIT, RUNS_ROLLED_BACK, BATCH_OVER, WRONG_RESULTS ->
                    NotStartedException.class;
                case PLAN_UNSTORABLE, RESULT_UNSTORABLE -> UnstorableResultException.class;
                case RESULT_UNREADABLE, PLAN_UNREADABLE -> UndecodableException.class;
                case DOUBT_UNRESOLVED,
                        COMMIT_UNANSWERED,
                        CLAIM_LOST,
                        FAILURE_UNRECORDED,
                        EXTERNAL_FAILED,
                        FOLLOW_UP_OWED,
                        FOLLOW_UP_MISSING,
                        RECORD_UNREADABLE,
                        LOOKUP_FAILED,
                        ENDED_BY_WORK,
                        RECORD_GONE,
                        FAILED_WITH_EFFECT -> OutcomeUnknownException.class;
            };
        }

        /**
         * Returns whether there is an effect.
         *
         * @return what is known about it
         */
        public Effect effect() {
            return effect;
        }

        /**
         * Returns who may retry.
         *
         * @return what to do next
         */
        public Next next() {
            return next;
        }

        /**
         * Returns what happened.
         *
         * @return a sentence without a full stop
         */
        public String what() {
            return what;
        }

        /** Where the reader of a message finds what to do. */
        private Symptom symptom() {
            return switch (this) {
                case IN_PROGRESS -> Symptom.REQUEST_OUTSTANDING;
                case FAILED -> Symptom.ATTEMPT_FAILED;
                case KEY_REUSED -> Symptom.KEY_REUSED;
                case STORE_UNREACHABLE, SCOPE_UNAVAILABLE -> Symptom.STORE_UNAVAILABLE;
                case STORE_UNFIT -> Symptom.TABLE_REFUSED;
                case RUNS_ROLLED_BACK -> Symptom.RUNS_ROLLED_BACK;
                case BATCH_OVER, WRONG_RESULTS -> Symptom.BATCH_NOT_STARTED;
                case PLAN_UNSTORABLE, RESULT_UNSTORABLE -> Symptom.RESULT_UNSTORABLE;
                case PLAN_UNREADABLE, RESULT_UNREADABLE -> Symptom.RESULT_UNREADABLE;
                case DOUBT_UNRESOLVED, COMMIT_UNANSWERED, CLAIM_LOST, FAILURE_UNRECORDED -> Symptom.OUTCOME_UNKNOWN;
                case EXTERNAL_FAILED, LOOKUP_FAILED, FOLLOW_UP_OWED, FOLLOW_UP_MISSING -> Symptom.EXTERNAL_UNKNOWN;
                case ENDED_BY_WORK, RECORD_GONE, FAILED_WITH_EFFECT, RECORD_UNREADABLE -> Symptom.OUTCOME_UNRESOLVED;
            };
        }
    }
}
