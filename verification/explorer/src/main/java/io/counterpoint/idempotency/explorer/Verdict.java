package io.counterpoint.idempotency.explorer;

import org.jspecify.annotations.Nullable;

/** Whether a schedule has broken a promise. */
abstract class Verdict {

    private @Nullable String broken;

    /** The first promise that was broken. */
    final @Nullable String broken() {
        return broken;
    }

    final void breaks(String which) {
        if (broken == null) {
            broken = which;
        }
    }

    /** Looks at what is there, after an event. */
    abstract void check();
}
