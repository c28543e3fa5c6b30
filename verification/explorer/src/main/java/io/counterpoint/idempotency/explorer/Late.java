package io.counterpoint.idempotency.explorer;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What is in flight without its sender: a step, the end of a transaction, both in one message, or a request for an
 * external effect.
 *
 * @param sender the caller that sent it
 * @param steps the step, or all steps in the message with the end of a transaction
 * @param node where it will arrive
 * @param transaction the transaction, if this ends one
 * @param commits whether it ends with a commit; otherwise the server notices that its client is gone
 * @param effect the external effect, if it is one
 */
record Late(
        Caller sender,
        List<Step> steps,
        Node node,
        @Nullable ServerTransaction transaction,
        boolean commits,
        @Nullable String effect) {

    static Late of(Caller sender, Step step, Node node) {
        return new Late(sender, List.of(step), node, null, true, null);
    }

    static Late of(Caller sender, List<Step> inserts, ServerTransaction transaction, boolean commits) {
        return new Late(sender, inserts, transaction.node(), transaction, commits, null);
    }

    static Late of(Caller sender, String effect) {
        return new Late(sender, List.of(), sender.place().node(), null, true, effect);
    }

    /** Whether a restart of the database discards it. */
    boolean isInDatabase() {
        return effect == null;
    }

    /** The results of the transaction that it commits, if that has claimed the key before. */
    List<String> values() {
        return transaction != null && commits && steps.isEmpty() ? transaction.values() : List.of();
    }

    boolean canArrive(ExploredDatabase database) {
        return steps.stream().noneMatch(step -> database.blocks(step, node, transaction));
    }

    void arrive(ExploredDatabase database) {
        try {
            arriveAt(database);
        } catch (Injected nobodyIsTold) {
            // A commit of another node came first.
        }
    }

    private void arriveAt(ExploredDatabase database) {
        if (!steps.isEmpty() && transaction != null) {
            insertAndCommit(steps, transaction);
        } else if (!steps.isEmpty()) {
            database.alone(steps.get(0), node);
        } else if (transaction != null) {
            transaction.end(commits);
        } else if (effect != null && !database.refusesForGood()) {
            database.externalEffects.add(effect);
        }
    }

    private static void insertAndCommit(List<Step> inserts, ServerTransaction transaction) {
        boolean refused = InsertAndCommit.refused(inserts, transaction.node()).isPresent();
        if (!refused) {
            inserts.forEach(transaction::perform);
        }
        transaction.end(!refused);
    }

    String code(ExploredDatabase database) {
        return database.cluster().nodes().size() > 1 && isInDatabase() ? node + code() : code();
    }

    private String code() {
        return !steps.isEmpty() && transaction != null ? "I" + codes() + transaction.code() : codeOfOne();
    }

    private String codes() {
        return steps.stream().map(Step::code).collect(Collectors.joining());
    }

    private String codeOfOne() {
        return !steps.isEmpty() ? codes() : transaction != null ? "T" + commits + transaction.code() : "E" + effect;
    }

    String words() {
        if (!steps.isEmpty()) {
            return "the late request of " + sender + " arrives: "
                    + steps.stream().map(Step::toString).collect(Collectors.joining(", "));
        }
        if (transaction != null) {
            return commits
                    ? "the late commit of " + sender + " arrives"
                    : "the database notices that " + sender + " is gone, and rolls back";
        }
        return "the late effect of " + sender + " happens (" + Names.inWords(String.valueOf(effect)) + ")";
    }
}
