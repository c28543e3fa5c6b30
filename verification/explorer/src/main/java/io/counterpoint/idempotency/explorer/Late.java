package io.counterpoint.idempotency.explorer;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is on its way without its sender: a step, the end of a transaction, both in one message, or a request for an
 * external effect.
 *
 * @param sender the caller that sent it
 * @param step the step, if it is one
 * @param node where it will arrive
 * @param transaction the transaction, if it is the end of one
 * @param commits whether it ends by a commit; else the server notices that its client is gone
 * @param effect the external effect, if it is one
 */
record Late(
        Caller sender,
        @Nullable Step step,
        Node node,
        @Nullable ServerTransaction transaction,
        boolean commits,
        @Nullable String effect) {

    static Late of(Caller sender, Step step, Node node) {
        return new Late(sender, step, node, null, true, null);
    }

    static Late of(Caller sender, @Nullable Step step, ServerTransaction transaction, boolean commits) {
        return new Late(sender, step, transaction.node(), transaction, commits, null);
    }

    static Late of(Caller sender, String effect) {
        return new Late(sender, null, sender.place().node(), null, true, effect);
    }

    /** Whether a restart of the database ends it. */
    boolean isInDatabase() {
        return effect == null;
    }

    /** The results of the transaction that it commits, if that has claimed the key before. */
    List<String> values() {
        return transaction != null && commits && step == null ? transaction.values() : List.of();
    }

    boolean canArrive(ExploredDatabase database) {
        return step == null || !database.blocks(step, node, transaction);
    }

    void arrive(ExploredDatabase database) {
        try {
            arriveAt(database);
        } catch (Injected nobodyIsTold) {
            // A commit of another node was first.
        }
    }

    private void arriveAt(ExploredDatabase database) {
        if (step != null && transaction != null) {
            insertAndCommit(step, transaction);
        } else if (step != null) {
            database.alone(step, node);
        } else if (transaction != null) {
            transaction.end(commits);
        } else if (effect != null && !database.refusesForGood()) {
            database.externalEffects.add(effect);
        }
    }

    private static void insertAndCommit(Step insert, ServerTransaction transaction) {
        boolean refused = transaction.node().record(insert.key()).isPresent();
        if (!refused) {
            Object unused = transaction.perform(insert);
        }
        transaction.end(!refused);
    }

    String code(ExploredDatabase database) {
        return database.cluster().nodes().size() > 1 && isInDatabase() ? node + code() : code();
    }

    private String code() {
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
