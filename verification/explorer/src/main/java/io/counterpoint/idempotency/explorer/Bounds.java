package io.counterpoint.idempotency.explorer;

/**
 * The maximum number of events in a schedule. Everything within these bounds is explored.
 *
 * @param callers the number of independent callers
 * @param tries the calls of each caller, one after the other
 * @param faults crashes of callers, lost and late messages, conflicts, lock timeouts and restarts, all together
 * @param restarts database restarts among these, each of which loses the latest asynchronous commits
 * @param failures runs of the work that throw
 * @param graces how many times the grace period passes
 * @param retentions how many times the retention passes
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
