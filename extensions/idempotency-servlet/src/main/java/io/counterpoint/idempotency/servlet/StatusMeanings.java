package io.counterpoint.idempotency.servlet;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * What a handler's status means: determined by the class of the status unless the service overrides it.
 *
 * @param special the meanings that the service declares for individual statuses
 */
record StatusMeanings(Map<Integer, Meaning> special) {

    static final StatusMeanings BY_CLASS = new StatusMeanings(Map.of());

    private static final Set<Integer> NEVER_STORED = Set.of(400, 401, 409, 422, 429);

    /**
     * What is known about a handler.
     *
     * @param chosen the status that it chose; 0 if it has not returned, or this was not observed
     * @param committed whether anything is or may be committed
     */
    record Handled(int chosen, boolean committed) {}

    StatusMeanings {
        special = Map.copyOf(special);
    }

    /**
     * Requires that a response may be stored.
     *
     * @param status its status
     * @param lastAsked the last status that its handler requested. If that came too late and means no effect, it
     *     contradicts the response
     * @param handled what is known about its handler
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
     * A status releases the key only if the handler may have chosen it or one with the same meaning. By its class
     * alone, it does so only if nothing is known to be committed.
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
