package io.counterpoint.idempotency.jakarta;

import io.counterpoint.idempotency.spi.Fault;
import java.sql.SQLException;
import java.util.Optional;
import java.util.stream.Stream;

/** What exceptions of Jakarta Persistence prove, where there is none of the database in them. By name: it may be absent. */
final class PersistenceErrors {

    private static final String PERSISTENCE = "jakarta.persistence.PersistenceException";
    private static final String OPTIMISTIC = "jakarta.persistence.OptimisticLockException";

    /** Deeper chains of causes are not looked at, so that a cycle ends. */
    private static final int DEPTH = 20;

    private PersistenceErrors() {}

    static Fault classify(Throwable thrown) {
        return causes(thrown)
                .map(PersistenceErrors::classifyAlone)
                .filter(fault -> fault != Fault.UNRECOGNISED)
                .findFirst()
                .orElse(Fault.UNRECOGNISED);
    }

    /** The exception of the database in one of Jakarta Persistence, which says nothing itself. */
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
        // Thrown before the commit only, which is then never sent.
        return thrown instanceof RollbackOnlyException ? Fault.STATEMENT_REFUSED : Fault.UNRECOGNISED;
    }
}
