package io.counterpoint.idempotency.internal;

/** Rethrows an exception as the same object, even if the signature does not declare it. */
public final class Rethrow {

    private Rethrow() {}

    /**
     * Throws an object as it is, including checked exceptions.
     *
     * @param thrown the object
     * @return nothing; the type lets callers write {@code throw Rethrow.unchanged(…)}
     */
    public static RuntimeException unchanged(Throwable thrown) {
        return Rethrow.<RuntimeException>as(thrown);
    }

    /** The type exists for the compiler only: the cast does nothing at run time. */
    @SuppressWarnings("unchecked")
    private static <X extends Throwable> RuntimeException as(Throwable thrown) throws X {
        throw (X) thrown;
    }
}
