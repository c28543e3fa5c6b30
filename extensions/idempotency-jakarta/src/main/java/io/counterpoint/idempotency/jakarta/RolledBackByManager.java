package io.counterpoint.idempotency.jakarta;

import java.util.Arrays;

/**
 * Attached to exceptions of work whose transaction was rolled back by the manager's timeout: the work is not to blame.
 */
final class RolledBackByManager extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private RolledBackByManager() {
        super("The transaction manager had already rolled back, as it does after its timeout.", null, false, false);
    }

    /** Also searched for in the causes, because the engine may wrap the work's exception. */
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
