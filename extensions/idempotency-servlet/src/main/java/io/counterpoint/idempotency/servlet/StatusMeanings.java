package io.counterpoint.idempotency.servlet;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * What a handler means by its status: by the status's class, unless the service says otherwise.
 *
 * @param special what the service says of some statuses
 */
record StatusMeanings(Map<Integer, Meaning> special) {

    static final StatusMeanings BY_CLASS = new StatusMeanings(Map.of());

    private static final Set<Integer> NEVER_STORED = Set.of(400, 401, 409, 422, 429);

    StatusMeanings {
        special = Map.copyOf(special);
    }

    /** Requires that a response with this status is one to store. */
    void requireEffect(int status) throws Ended {
        Meaning byClass = status < 400 ? Meaning.EFFECT : status < 500 ? Meaning.NO_EFFECT : Meaning.UNKNOWN;
        Meaning meaning = special.getOrDefault(status, byClass);
        if (meaning != Meaning.EFFECT) {
            throw new Ended(status, meaning);
        }
    }

    StatusMeanings with(Meaning meaning, int... statuses) {
        Map<Integer, Meaning> more = new HashMap<>(special);
        for (int status : statuses) {
            if (meaning == Meaning.EFFECT && (status >= 500 || NEVER_STORED.contains(status))) {
                throw new IllegalArgumentException(
                        "A response with status " + status + " is never stored; a retry may get a better one.");
            }
            more.put(status, meaning);
        }
        return new StatusMeanings(more);
    }
}
