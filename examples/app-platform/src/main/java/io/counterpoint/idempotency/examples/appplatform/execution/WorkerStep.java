package io.counterpoint.idempotency.examples.appplatform.execution;

/** The steps of an execution at which a worker may die. */
public enum WorkerStep {
    /** It has received the event and written nothing. */
    TAKEN,
    /** The execution is running, and nothing has been logged. */
    BEGUN,
    /** Lines have been logged, but not necessarily written. */
    SAID,
    /** All lines have been written. */
    LOGGED,
    /** The result has been written but not committed. */
    RESULT_NOT_COMMITTED,
    /** The result is committed, but the event is still waiting. */
    RAN
}
