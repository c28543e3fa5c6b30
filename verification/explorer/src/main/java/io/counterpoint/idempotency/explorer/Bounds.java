package io.counterpoint.idempotency.explorer;

/**
 * How much happens in a schedule, at most. Everything within is explored.
 *
 * @param callers the callers, each on its own
 * @param tries the calls of each, one after the other
 * @param faults crashes of callers, lost and late messages, conflicts, timeouts of lock waits, and restarts together
 * @param restarts restarts of the database among these, each of which loses the latest asynchronous commits
 * @param failures runs of the work that throw
 * @param graces how often the grace period passes
 * @param retentions how often the retention passes
 */
record Bounds(int callers, int tries, int faults, int restarts, int failures, int graces, int retentions) {

    Bounds withFaults(int some) {
        return new Bounds(callers, tries, some, Math.min(restarts, some), failures, graces, retentions);
    }

    Bounds withoutRestarts() {
        return new Bounds(callers, tries, faults, 0, failures, graces, retentions);
    }

    Bounds lessRestart() {
        return new Bounds(callers, tries, faults, Math.max(0, restarts - 1), failures, graces, retentions);
    }

    Bounds lessFailure() {
        return new Bounds(callers, tries, faults, restarts, failures - 1, graces, retentions);
    }

    Bounds lessGrace() {
        return new Bounds(callers, tries, faults, restarts, failures, graces - 1, retentions);
    }

    Bounds lessRetention() {
        return new Bounds(callers, tries, faults, restarts, failures, graces, retentions - 1);
    }

    String state() {
        return "" + faults + restarts + failures + graces + retentions;
    }
}
