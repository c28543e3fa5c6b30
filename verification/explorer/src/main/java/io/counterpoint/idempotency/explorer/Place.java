package io.counterpoint.idempotency.explorer;

import org.jspecify.annotations.Nullable;

/** Where a caller's connections are: on one node, until it has lost one, and then on another. */
final class Place {

    private final Caller caller;
    private int moves;
    private @Nullable ServerTransaction latest;

    Place(Caller caller) {
        this.caller = caller;
    }

    /** Another caller begins at another node. */
    void beginsAt(int index) {
        moves = index;
        latest = null;
    }

    /** Where the caller connects next. */
    Node node() {
        return caller.execution().database().node(moves);
    }

    /** The caller has lost its connection there, and connects elsewhere if it can. */
    void movesOnFrom(Node node) {
        if (node == node()) {
            moves++;
        }
    }

    void begins(ServerTransaction transaction) {
        latest = transaction;
    }

    /** What decides about what comes next, beside the answers that the caller has got. */
    String code() {
        if (caller.execution().scenario().hasGlobalLocks()) {
            return "";
        }
        ServerTransaction transaction = latest;
        return node() + (transaction != null && transaction.isAborted() ? "a" : "");
    }
}
