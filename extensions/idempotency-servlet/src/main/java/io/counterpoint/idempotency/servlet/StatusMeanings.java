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

    /**
     * Requires that a response is one to store.
     *
     * @param status its status
     * @param lastAsked the last status that its handler has asked for. If that came too late and means no effect, two
     *     answers contradict each other
     */
    void requireEffect(int status, int lastAsked) throws Ended {
        if (lastAsked != status && of(lastAsked) != Meaning.EFFECT) {
            throw new Ended(lastAsked, Meaning.UNKNOWN);
        }
        if (of(status) != Meaning.EFFECT) {
            throw new Ended(status, of(status));
        }
    }

    private Meaning of(int status) {
        Meaning byClass = status < 400 ? Meaning.EFFECT : status < 500 ? Meaning.NO_EFFECT : Meaning.UNKNOWN;
        return special.getOrDefault(status, byClass);
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
