package io.counterpoint.idempotency.torture;

/** A fault that callers have to survive. */
enum FaultType {
    WORKER_KILLED("worker killed"),
    WORKER_STOPPED("worker stopped for a while"),
    BACKEND_TERMINATED("backend terminated"),
    SERVER_STOPPED("server stopped at once"),
    SERVER_KILLED("whole server killed"),
    COMMIT_DROPPED("COMMIT dropped"),
    COMMIT_ANSWER_LOST("COMMIT's answer lost"),
    COMMIT_HELD("COMMIT held back"),
    STEP_ANSWER_LOST("claim's or mark's answer lost"),
    CUT_AFTER_MESSAGES("cut after n messages"),
    CONNECTIONS_RESET("all connections reset"),
    BLACK_HOLE("black hole"),
    RECORD_LOCKED("record locked by an intruder"),
    THREAD_INTERRUPTED("thread interrupted"),
    DEADLOCK_SWALLOWED("deadlock or lock timeout swallowed by the work"),
    RECORDS_PURGED("records purged"),
    COMMIT_WAIT_BROKEN("wait of a COMMIT for its standby broken"),
    STANDBY_PROMOTED("primary killed, standby promoted"),
    PRIMARY_FENCED("primary paused and fenced, standby promoted"),
    PRIMARY_PAUSED("primary paused and resumed"),
    PROVIDER_KILLED("provider killed"),
    PROVIDER_STOPPED("provider stopped for a while"),
    PROVIDER_CUT("all connections of the provider cut"),
    PROVIDER_SILENT("request or reply of the provider lost"),
    PROVIDER_FAILED("500 from the provider"),
    PROVIDER_LATE("provider late");

    private final String text;

    FaultType(String text) {
        this.text = text;
    }

    /** Whether it hits a COMMIT. */
    boolean isCommitCut() {
        return this == COMMIT_DROPPED || this == COMMIT_ANSWER_LOST || this == COMMIT_HELD;
    }

    @Override
    public String toString() {
        return text;
    }
}
