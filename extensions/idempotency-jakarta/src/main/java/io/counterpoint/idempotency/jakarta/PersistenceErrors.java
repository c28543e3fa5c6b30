package io.counterpoint.idempotency.jakarta;

import io.counterpoint.idempotency.spi.Fault;
import java.sql.SQLException;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What exceptions of Jakarta Persistence prove if they contain no database exception. Uses class names, because Jakarta
 * Persistence may be absent.
 */
final class PersistenceErrors {

    private static final String PERSISTENCE = "jakarta.persistence.PersistenceException";
    private static final String OPTIMISTIC = "jakarta.persistence.OptimisticLockException";

    /** Limits the depth of cause chains, so that cycles terminate. */
    private static final int DEPTH = 20;

    private PersistenceErrors() {}

    static Fault classify(Throwable thrown) {
        return causes(thrown)
                .map(PersistenceErrors::classifyAlone)
                .filter(fault -> fault != Fault.UNRECOGNISED)
                .findFirst()
                .orElse(Fault.UNRECOGNISED);
    }

    /** The database exception inside an inconclusive one of Jakarta Persistence. */
    static Optional<SQLException> inside(Throwable thrown) {
        return isNamed(thrown, PERSISTENCE)
                ? causes(thrown)
                        .filter(SQLException.class::isInstance)
                        .map(SQLException.class::cast)
                        .findFirst()
                : Optional.empty();
    }

    private static Stream<Throwable> causes(Throwable thrown) {
        return Stream.iterate(thrown, at -> at != null, Throwable::getCause).limit(DEPTH);
    }

    private static boolean isNamed(Throwable thrown, String name) {
        return Stream.<Class<?>>iterate(thrown.getClass(), at -> at != null, Class::getSuperclass)
                .anyMatch(type -> type.getName().equals(name));
    }

    private static Fault classifyAlone(Throwable thrown) {
        if (isNamed(thrown, OPTIMISTIC)) {
            return Fault.CONFLICT;
        }
        // Thrown only before the commit, which is then never sent.
        return thrown instanceof RollbackOnlyException ? Fault.STATEMENT_REFUSED : Fault.UNRECOGNISED;
    }
}
