package io.counterpoint.idempotency.explorer;

/**
 * A step that changed something.
 *
 * @param step the step
 * @param minutes when it was executed, which may be long before its commit
 */
record Change(Step step, long minutes) {}
