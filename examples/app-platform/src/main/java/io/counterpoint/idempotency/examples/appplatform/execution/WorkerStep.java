package io.counterpoint.idempotency.examples.appplatform.execution;

/** Where a worker may die in the middle of an execution. */
public enum WorkerStep {
    /** It has the event, and has written nothing. */
    TAKEN,
    /** The execution is running, and nothing is said. */
    BEGUN,
    /** Lines are said, and perhaps written. */
    SAID,
    /** All lines are written. */
    LOGGED,
    /** The result is written and not committed. */
    RESULT_NOT_COMMITTED,
    /** The result is committed, and the event still waits. */
    RAN
}
