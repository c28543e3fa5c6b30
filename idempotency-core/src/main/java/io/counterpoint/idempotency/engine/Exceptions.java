package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.spi.BeforeCommitException;

/** What is done with exceptions on their way to the caller. */
final class Exceptions {

    private Exceptions() {}

    /** Keeps a second failure with the first. An object cannot suppress itself. */
    static void suppress(Throwable thrown, Throwable also) {
        if (thrown != also) {
            thrown.addSuppressed(also);
        }
    }

    /** A checked exception of the user's on its way through a store, which knows none. */
    static final class Carried extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Carried(Exception thrown) {
            super(null, thrown, true, false);
        }

        /** The object that the user's code threw, with everything that the store suppressed in its carrier. */
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
