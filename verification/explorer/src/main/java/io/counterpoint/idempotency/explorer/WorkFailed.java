package io.counterpoint.idempotency.explorer;

/** What the work throws. */
final class WorkFailed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean declared;

    /**
     * @param declared whether it honestly means that there is no effect, nor will be
     */
    WorkFailed(boolean declared) {
        super("the work failed", null, false, false);
        this.declared = declared;
    }

    boolean declared() {
        return declared;
    }
}
