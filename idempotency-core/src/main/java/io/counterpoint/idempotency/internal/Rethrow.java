package io.counterpoint.idempotency.internal;

/** Rethrows exceptions as is, even if the method signature does not declare them. */
public final class Rethrow {

    private Rethrow() {}

    /**
     * Throws an object as is, even a checked exception.
     *
     * @param thrown the object
     * @return nothing; the type lets callers write {@code throw Rethrow.unchanged(…)}
     */
    public static RuntimeException unchanged(Throwable thrown) {
        return Rethrow.<RuntimeException>as(thrown);
    }

    /** The type exists only for the compiler: the cast does nothing at run time. */
    @SuppressWarnings("unchecked")
    private static <X extends Throwable> RuntimeException as(Throwable thrown) throws X {
        throw (X) thrown;
    }
}
