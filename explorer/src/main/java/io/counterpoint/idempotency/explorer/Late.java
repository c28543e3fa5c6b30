package io.counterpoint.idempotency.explorer;

import org.jspecify.annotations.Nullable;

/**
 * What is on its way without its sender: a step, the end of a transaction, both in one message, or a request for an
 * external effect.
 *
 * @param sender the caller that sent it
 * @param step the step, if it is one
 * @param transaction the transaction, if it is the end of one
 * @param commits whether it ends by a commit; else the server notices that its client is gone
 * @param effect the external effect, if it is one
 */
record Late(
        Caller sender,
        @Nullable Step step,
        @Nullable ServerTransaction transaction,
        boolean commits,
        @Nullable String effect) {

    Late(Caller sender, @Nullable Step step, @Nullable ServerTransaction transaction, boolean commits) {
        this(sender, step, transaction, commits, null);
    }

    /** Whether a restart of the database ends it. */
    boolean isInDatabase() {
        return effect == null;
    }

    boolean canArrive(Database database) {
        return step == null || !database.blocks(step, transaction);
    }

    void arrive(Database database) {
        if (step != null && transaction != null) {
            insertAndCommit(step, transaction, database);
        } else if (step != null) {
            database.alone(step);
        } else if (transaction != null) {
            transaction.end(commits);
        } else if (effect != null) {
            database.externalEffects.add(effect);
        }
    }

    private static void insertAndCommit(Step insert, ServerTransaction transaction, Database database) {
        boolean refused = database.record().isPresent();
        if (!refused) {
            Object unused = transaction.perform(insert);
        }
        transaction.end(!refused);
    }

    String code() {
        return step != null && transaction != null ? "I" + step.code() + transaction.code() : codeOfOne();
    }

    private String codeOfOne() {
        return step != null ? step.code() : transaction != null ? "T" + commits + transaction.code() : "E" + effect;
    }

    String words() {
        if (step != null) {
            return "the late request of " + sender + " arrives: " + step;
        }
        if (transaction != null) {
            return commits
                    ? "the late commit of " + sender + " arrives"
                    : "the database notices that " + sender + " is gone, and rolls back";
        }
        return "the late effect of " + sender + " happens (" + Names.inWords(String.valueOf(effect)) + ")";
    }
}
