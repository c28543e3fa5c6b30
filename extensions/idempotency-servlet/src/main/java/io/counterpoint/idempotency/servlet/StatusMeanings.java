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

    /**
     * What is known of a handler.
     *
     * @param chosen the status that it has chosen; 0 if it has not returned, or nobody has seen that
     * @param committed whether something is or may be committed
     */
    record Handled(int chosen, boolean committed) {}

    StatusMeanings {
        special = Map.copyOf(special);
    }

    /**
     * Requires that a response is one to store.
     *
     * @param status its status
     * @param lastAsked the last status that its handler has asked for. If that came too late and means no effect, two
     *     answers contradict each other
     * @param handled what is known of its handler
     */
    void requireEffect(int status, int lastAsked, Handled handled) throws Ended {
        if (lastAsked != status && of(lastAsked) != Meaning.EFFECT) {
            throw new Ended(lastAsked, Meaning.UNKNOWN);
        }
        Meaning meaning = of(status, handled);
        if (meaning != Meaning.EFFECT) {
            throw new Ended(status, meaning);
        }
    }

    /**
     * A status frees the key only if the handler may have chosen it, or one with the same meaning. By its class alone, it does
     * so only where nothing is known to be committed.
     */
    Meaning of(int status, Handled handled) {
        Meaning meaning = of(status);
        boolean isChosen = handled.chosen() == 0 || of(handled.chosen()) == Meaning.NO_EFFECT;
        boolean provesNothing = !isChosen || (!special.containsKey(status) && handled.committed());
        return meaning == Meaning.NO_EFFECT && provesNothing ? Meaning.UNKNOWN : meaning;
    }

    private Meaning of(int status) {
        Meaning byClass = status < 400 ? Meaning.EFFECT : status < 500 ? Meaning.NO_EFFECT : Meaning.UNKNOWN;
        return special.getOrDefault(status, byClass);
    }

    StatusMeanings with(Meaning meaning, int... statuses) {
        Map<Integer, Meaning> more = new HashMap<>(special);
        for (int status : statuses) {
            if (meaning == Meaning.EFFECT && (status >= 500 || NEVER_STORED.contains(status))) {
                throw new IllegalArgumentException("A response with status " + status + " cannot be stored, because a"
                        + " retry may get a better one.");
            }
            more.put(status, meaning);
        }
        return new StatusMeanings(more);
    }
}
