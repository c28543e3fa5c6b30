package io.counterpoint.idempotency.explorer;

import org.jspecify.annotations.Nullable;

/** The node of a caller's connections. It moves to another node after it has lost one. */
final class Place {

    private final Caller caller;
    private int moves;
    private @Nullable ServerTransaction latest;

    Place(Caller caller) {
        this.caller = caller;
    }

    /** Makes different callers begin at different nodes. */
    void beginsAt(int index) {
        moves = index;
        latest = null;
    }

    /** The node to which the caller connects next. */
    Node node() {
        return caller.execution().database().node(moves);
    }

    /** The caller has lost its connection to this node, and connects to another one if it can. */
    void movesOnFrom(Node node) {
        if (node == node()) {
            moves++;
        }
    }

    void begins(ServerTransaction transaction) {
        latest = transaction;
    }

    /** The part of the state that determines what happens next, besides the replies to the caller. */
    String code() {
        if (caller.execution().scenario().hasGlobalLocks()) {
            return "";
        }
        ServerTransaction transaction = latest;
        return node() + (transaction != null && transaction.isAborted() ? "a" : "");
    }
}
