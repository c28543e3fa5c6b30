package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.spi.BeforeCommitException;

/** Handles exceptions on their way to the caller. */
final class Exceptions {

    private Exceptions() {}

    /** Attaches a second exception to the first. An exception cannot suppress itself. */
    static void suppress(Throwable thrown, Throwable also) {
        if (thrown != also) {
            thrown.addSuppressed(also);
        }
    }

    /** Carries a checked exception of user code through a store, whose methods declare none. */
    static final class Carried extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Carried(Exception thrown) {
            super(null, thrown, true, false);
        }

        /** Returns the exception that user code threw, with everything that the store suppressed in its carrier. */
        static Throwable in(Throwable caught) {
            Throwable carried =
                    caught instanceof Carried || caught instanceof BeforeCommitException ? caught.getCause() : null;
            if (carried == null) {
                return caught;
            }
            for (Throwable suppressed : caught.getSuppressed()) {
                suppress(carried, suppressed);
            }
            return carried;
        }
    }
}
