package io.counterpoint.idempotency.explorer;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The code of a caller that the engine runs: the work, external effects, and lookups. */
final class UserCode {

    private final Caller caller;
    private final List<String> values = new ArrayList<>(2);
    private @Nullable ServerTransaction current;
    private @Nullable End end;

    /** How work goes on that has ended its transaction by SQL text. */
    enum End {
        RETURNS,
        THROWS
    }

    UserCode(Caller caller) {
        this.caller = caller;
    }

    /** Before the next call. */
    void reset() {
        values.clear();
        current = null;
        end = null;
    }

    /** The next run of the work ends its transaction. */
    void ends(End how) {
        end = how;
    }

    /** Whether a run of this call has ended its transaction. */
    boolean hasEndedATransaction() {
        return end != null;
    }

    /** The results of this call so far. */
    List<String> values() {
        return values;
    }

    String freshValue() {
        String value = execution().names().freshValue();
        values.add(value);
        return value;
    }

    void in(ServerTransaction transaction) {
        current = transaction;
    }

    private ServerTransaction current() {
        ServerTransaction now = current;
        if (now == null) {
            throw new IllegalStateException("The work is not in a transaction.");
        }
        return now;
    }

    private Execution execution() {
        return caller.execution();
    }

    /** The work. */
    String write(String value) {
        ServerTransaction transaction = current();
        caller.pass(new DomainRequests.Work(caller, value));
        Database database = execution().database();
        transaction.perform(new Step(Step.Kind.EFFECT, value, false, false, (steps, scope) -> {
            scope.handle().onCommit(() -> {
                execution().promises().committed(caller, value);
                database.cluster().happens(value);
            });
            return true;
        }));
        if (end != null) {
            transaction.commitByText();
            if (end == End.THROWS) {
                throw new WorkFailed(true);
            }
        }
        return value;
    }

    Optional<String> lookUp() {
        ServerTransaction transaction = current();
        Step step = Step.of(Step.Kind.LOOK_UP, "", unused -> found(transaction.node()));
        return found(caller.pass(new TransactionRequests.InTransaction(caller, transaction, step)));
    }

    private Optional<String> found(Node node) {
        return execution().database().effectsAt(node).stream().findFirst();
    }

    String writeExternally(String value) {
        caller.pass(new DomainRequests.ExternalEffect(caller, value));
        return value;
    }

    Optional<String> lookUpExternally() {
        return found(caller.pass(new DomainRequests.ExternalLookup(caller)));
    }

    private static Optional<String> found(Object answer) {
        return ((Optional<?>) answer).map(String.class::cast);
    }
}
