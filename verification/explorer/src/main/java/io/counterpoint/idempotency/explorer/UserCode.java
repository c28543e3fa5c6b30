package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Lookup;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The code of a caller that the engine runs: the work, external effects, and lookups. */
final class UserCode {

    private static final Failure REFUSAL = new Failure("refused", "");

    private final Caller caller;
    private final Map<IdempotencyKey, List<String>> values = new TreeMap<>();
    private @Nullable ServerTransaction current;
    private @Nullable End end;

    /** How the work continues after it has ended its transaction with an SQL statement. */
    enum End {
        RETURNS,
        THROWS
    }

    UserCode(Caller caller) {
        this.caller = caller;
    }

    /** Called before the next call. */
    void reset() {
        values.clear();
        current = null;
        end = null;
    }

    /** Makes the next run of the work end its transaction. */
    void ends(End how) {
        execution().endsATransaction();
        end = how;
    }

    /** Whether a run of this call has ended its transaction. */
    boolean hasEndedATransaction() {
        return end != null;
    }

    /** The results of this call for a key so far. */
    List<String> values(IdempotencyKey key) {
        return values.getOrDefault(key, List.of());
    }

    String freshValue() {
        return freshValue(Configuration.KEY);
    }

    private String freshValue(IdempotencyKey key) {
        String value = execution().names().freshValue();
        execution().makes(value, caller.configuration().request());
        values.computeIfAbsent(key, unused -> new ArrayList<>()).add(value);
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
        transaction.perform(effect(Configuration.KEY, value));
        goOnAfterTheEnd(transaction);
        return value;
    }

    /** The work of a batch: an effect for each key, and then an exception if one of them is poison. */
    List<String> writeAll(Batches batch, List<IdempotencyKey> keys) {
        List<String> results = new ArrayList<>();
        for (IdempotencyKey key : keys) {
            String value = freshValue(key);
            current().perform(effect(key, value));
            results.add(value);
        }
        if (keys.stream().anyMatch(key -> batch.fails(key, values(key).size()))) {
            throw new WorkFailed(true);
        }
        return results;
    }

    private Step effect(IdempotencyKey key, String value) {
        return new Step(Step.Kind.EFFECT, key, value, false, false, (steps, scope) -> {
            scope.handle().onCommit(() -> {
                execution().promises().committed(caller, value);
                execution().database().cluster().happens(key, value);
            });
            return true;
        });
    }

    Optional<String> lookUp() {
        ServerTransaction transaction = current();
        Step step = Step.of(Step.Kind.LOOK_UP, Configuration.KEY, "", unused -> found(transaction.node()));
        return found(caller.pass(new TransactionRequests.InTransaction(caller, transaction, step)));
    }

    private Optional<String> found(Node node) {
        return execution().database().effectsAt(node).stream().findFirst();
    }

    String writeExternally(String value) {
        caller.pass(new DomainRequests.ExternalEffect(caller, value));
        return value;
    }

    Lookup<String> lookUpExternally() {
        Object answer = caller.pass(new DomainRequests.ExternalLookup(caller));
        return answer.equals(DomainRequests.REFUSED) ? Lookup.refused(REFUSAL) : Lookup.of(found(answer));
    }

    /** The follow-up of an external effect. No constraint in the table prevents a second booking. */
    void book(String value) {
        ServerTransaction transaction = current();
        caller.pass(new DomainRequests.Work(caller, value));
        transaction.perform(new Step(Step.Kind.BOOKING, Configuration.BOOKING, value, false, false, (steps, scope) -> {
            scope.handle().onCommit(() -> execution().database().cluster().happens(Configuration.BOOKING, value));
            return true;
        }));
        goOnAfterTheEnd(transaction);
    }

    private void goOnAfterTheEnd(ServerTransaction transaction) {
        if (end != null) {
            transaction.commitByText();
            if (end == End.THROWS) {
                throw new WorkFailed(true);
            }
        }
    }

    private static Optional<String> found(Object answer) {
        return ((Optional<?>) answer).map(String.class::cast);
    }
}
