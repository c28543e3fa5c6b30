package io.counterpoint.idempotency.spring;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.sql.SQLException;
import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.transaction.UnexpectedRollbackException;

/** What exceptions of Spring and of entities prove if they contain no database exception. */
final class SpringErrors {

    /** Limits the depth of cause chains, so that cycles terminate. */
    private static final int DEPTH = 20;

    private SpringErrors() {}

    static Fault classify(Throwable thrown, Entities entities) {
        return causes(thrown)
                .map(at -> classifyAlone(at, entities))
                .filter(fault -> fault != Fault.UNRECOGNISED)
                .findFirst()
                .orElse(Fault.UNRECOGNISED);
    }

    private static Fault classifyAlone(Throwable thrown, Entities entities) {
        if (thrown instanceof OptimisticLockingFailureException || entities.isConflict(thrown)) {
            return Fault.CONFLICT;
        }
        // Thrown only before the commit, which is then never sent.
        return thrown instanceof UnexpectedRollbackException ? Fault.STATEMENT_REFUSED : Fault.UNRECOGNISED;
    }

    static Optional<Failure> describe(Throwable thrown, Entities entities, IdempotencyStore<?> store) {
        if (!(thrown instanceof DataAccessException) && !entities.isFromDatabase(thrown)) {
            return Optional.empty();
        }
        return causes(thrown)
                .filter(SQLException.class::isInstance)
                .findFirst()
                .flatMap(store::describe)
                .or(() -> Optional.of(new Failure(
                        classify(thrown, entities) == Fault.CONFLICT ? Failure.CONFLICT : Failure.ERROR, "")));
    }

    private static Stream<Throwable> causes(Throwable thrown) {
        return Stream.iterate(thrown, at -> at != null, Throwable::getCause).limit(DEPTH);
    }
}
