package io.counterpoint.idempotency.explorer;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is explored: callers, and all that can happen to them.
 *
 * @param <A> a caller
 */
interface Play<A extends Actor<?>> {

    /** How the figures call it. */
    String name();

    /** How many callers there are, beside the one that makes the last call. */
    int actors();

    /** A caller of that number. */
    A actor(int index);

    /**
     * A schedule from its beginning.
     *
     * @param actors the callers, and one more for the last call
     * @param words where to write the events, if they are recorded
     */
    Schedule schedule(Choices choices, List<A> actors, @Nullable List<String> words);
}
