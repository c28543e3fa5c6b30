package io.counterpoint.idempotency.jakarta;

import java.util.Arrays;

/** Stands beside what work threw after the manager's timeout had rolled its transaction back: the work is not to blame. */
final class RolledBackByManager extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private RolledBackByManager() {
        super("The transaction manager had already rolled back, as it does after its timeout.", null, false, false);
    }

    /** Also in the cause: what the work threw may come in an exception of the engine's. */
    static void note(Throwable thrown) {
        thrown.addSuppressed(new RolledBackByManager());
        if (thrown.getCause() != null) {
            thrown.getCause().addSuppressed(new RolledBackByManager());
        }
    }

    static boolean isNoted(Throwable thrown) {
        return Arrays.stream(thrown.getSuppressed()).anyMatch(RolledBackByManager.class::isInstance);
    }
}
