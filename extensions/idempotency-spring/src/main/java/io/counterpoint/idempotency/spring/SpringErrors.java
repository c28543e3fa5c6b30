package io.counterpoint.idempotency.spring;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.transaction.UnexpectedRollbackException;

/** What exceptions of Spring and of its participants prove, where there is none of the database in them. */
final class SpringErrors {

    /** Deeper chains of causes are not looked at, so that a cycle ends. */
    private static final int DEPTH = 20;

    private SpringErrors() {}

    static Fault classify(Throwable thrown, List<Participant> participants) {
        return causes(thrown)
                .map(at -> classifyAlone(at, participants))
                .filter(fault -> fault != Fault.UNRECOGNISED)
                .findFirst()
                .orElse(Fault.UNRECOGNISED);
    }

    private static Fault classifyAlone(Throwable thrown, List<Participant> participants) {
        if (thrown instanceof OptimisticLockingFailureException
                || participants.stream().anyMatch(participant -> participant.isConflict(thrown))) {
            return Fault.CONFLICT;
        }
        // Thrown before the commit only, which is then never sent.
        return thrown instanceof UnexpectedRollbackException ? Fault.STATEMENT_REFUSED : Fault.UNRECOGNISED;
    }

    static Optional<Failure> describe(Throwable thrown, List<Participant> participants, IdempotencyStore<?> store) {
        if (!(thrown instanceof DataAccessException)
                && participants.stream().noneMatch(participant -> participant.isFromDatabase(thrown))) {
            return Optional.empty();
        }
        return causes(thrown)
                .filter(SQLException.class::isInstance)
                .findFirst()
                .flatMap(store::describe)
                .or(() -> Optional.of(new Failure(
                        classify(thrown, participants) == Fault.CONFLICT ? Failure.CONFLICT : Failure.ERROR, "")));
    }

    private static Stream<Throwable> causes(Throwable thrown) {
        return Stream.iterate(thrown, at -> at != null, Throwable::getCause).limit(DEPTH);
    }
}
