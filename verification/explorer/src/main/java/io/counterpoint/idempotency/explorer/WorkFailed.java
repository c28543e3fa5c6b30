package io.counterpoint.idempotency.explorer;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The reason for which the work throws. */
final class WorkFailed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean declared;

    /**
     * @param declared whether it truthfully means that there is no effect and never will be
     */
    WorkFailed(boolean declared) {
        super("the work failed", null, false, false);
        this.declared = declared;
    }

    /** What the work has thrown, or its cause. */
    static Optional<WorkFailed> in(@Nullable Throwable thrown) {
        return thrown instanceof WorkFailed failed
                ? Optional.of(failed)
                : Optional.ofNullable(thrown).map(Throwable::getCause).flatMap(WorkFailed::in);
    }

    boolean declared() {
        return declared;
    }
}
