package io.counterpoint.idempotency.engine;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The work returned a different number of results than it received attempts, so they cannot be matched. */
final class WrongResults extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Returns the results if there is one for each attempt. */
    static <R> List<R> requireOneEach(int attempts, @Nullable List<R> made) {
        if (made == null || made.size() != attempts) {
            throw new WrongResults(attempts, made);
        }
        return made;
    }

    private final String what;

    private WrongResults(int attempts, @Nullable List<?> made) {
        super(null, null, false, false);
        what = "the joint work received " + attempts + " attempts, returned "
                + (made == null ? "no list" : made.size() + " results")
                + ", and was rolled back; return one result per attempt, in their order";
    }

    String what() {
        return what;
    }

    @Override
    public String getMessage() {
        return what;
    }
}
