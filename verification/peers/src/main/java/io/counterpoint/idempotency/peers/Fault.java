package io.counterpoint.idempotency.peers;

/** What happens to a call after its work has inserted the payment. */
enum Fault {
    KILLED_UNCOMMITTED("kill -9, COMMIT not arrived"),
    KILLED_COMMITTED("kill -9, COMMIT arrived"),
    COMMIT_LOST("connection cut, COMMIT not arrived"),
    ANSWER_LOST("connection cut, COMMIT arrived"),
    COMMIT_LATE("connection silent, COMMIT arrives during the retry"),
    LEADER_PAUSED("leader pauses, keeps its session"),
    LEADER_CUT_OFF("leader pauses, loses its session"),
    TWO_AT_ONCE("two calls at once, in two processes"),
    OTHER_REQUEST("the key again for another request");

    private final String title;

    Fault(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }
}
