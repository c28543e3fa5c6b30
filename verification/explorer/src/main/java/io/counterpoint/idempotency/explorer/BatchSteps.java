package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.explorer.BatchServer.Open;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.LastStep;
import io.counterpoint.idempotency.spi.RecordSteps;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** Steps in a transaction, or each in a transaction of its own. */
final class BatchSteps implements RecordSteps {

    private final BatchCaller caller;
    private final BatchStore.Connection connection;
    private final Optional<Open> transaction;

    BatchSteps(BatchCaller caller, BatchStore.Connection connection, Optional<Open> transaction) {
        this.caller = caller;
        this.connection = connection;
        this.transaction = transaction;
    }

    // ---- gates ---------------------------------------------------------------------------------------------------

    private <T> T pass(String words, BooleanSupplier waits, Function<Open, T> action) {
        Object answer = caller.pass(options -> offer(options, words, waits, action));
        @SuppressWarnings("unchecked") // The answer to this action.
        T made = (T) answer;
        return made;
    }

    private void offer(Options options, String words, BooleanSupplier waits, Function<Open, ?> action) {
        if (connection.isLost()) {
            options.goesOn(
                    caller,
                    () -> caller + " " + words + ": finds its connection lost",
                    () -> caller.failed(words, Injected.lost()));
            return;
        }
        if (waits.getAsBoolean()) {
            options.fault(
                    caller,
                    () -> caller + " " + words + ": waits too long for the lock",
                    () -> caller.failed(words, new Injected(Fault.LOCK_TIMEOUT, false)));
            return;
        }
        options.goesOn(caller, () -> caller + " " + words, () -> caller.answered(words, perform(action)));
        options.fault(caller, () -> caller + " " + words + ": unanswered, the connection is lost", () -> {
            Object unused = perform(action);
            leave();
            connection.lose();
            caller.failed(words, Injected.lost());
        });
        if (transaction.isPresent()) {
            options.fault(
                    caller,
                    () -> caller + " " + words + ": a conflict",
                    () -> caller.failed(words, new Injected(Fault.CONFLICT, false)));
            options.fault(caller, () -> caller + " dies before it " + words, () -> {
                leave();
                caller.dies();
            });
        }
    }

    private void leave() {
        transaction.ifPresent(open -> caller.schedule().late(caller, open, false));
    }

    private Object perform(Function<Open, ?> action) {
        Open open = transaction.orElseGet(() -> server().begin());
        Object answer = action.apply(open);
        if (transaction.isEmpty()) {
            open.end(true);
        }
        return answer;
    }

    private BatchServer server() {
        return caller.schedule().server();
    }

    private boolean waitsToClaim(IdempotencyKey key) {
        return server().blocksClaim(key, transaction.orElse(null));
    }

    private boolean waits(IdempotencyKey key) {
        return server().blocks(key, transaction.orElse(null));
    }

    private String name(UUID token) {
        return caller.schedule().names().of(token);
    }

    // ---- steps ---------------------------------------------------------------------------------------------------

    @Override
    public Optional<IdempotencyRecord> claim(
            IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
        IdempotencyKey key = record.key();
        String state = record.fold(pending -> "", succeeded -> " Succeeded", failed -> " Failed");
        return pass("claims " + key.value() + state + name(record.token()), () -> waitsToClaim(key), open -> {
            Optional<IdempotencyRecord> found = open.find(key);
            if (found.isEmpty()) {
                open.change(key, Optional.of(record));
            }
            return found;
        });
    }

    @Override
    public Optional<IdempotencyRecord> read(IdempotencyKey key) {
        return pass("reads " + key.value(), () -> false, open -> open.find(key));
    }

    @Override
    public Map<IdempotencyKey, IdempotencyRecord> readAll(List<IdempotencyKey> keys) {
        return pass("reads all", () -> false, open -> {
            Map<IdempotencyKey, IdempotencyRecord> found = new HashMap<>();
            keys.forEach(key -> open.find(key).ifPresent(record -> found.put(key, record)));
            return found;
        });
    }

    @Override
    public Optional<IdempotencyRecord> lock(IdempotencyKey key, Duration lockWait) {
        return pass("locks " + key.value(), () -> waits(key), open -> {
            open.lock(key);
            return open.find(key);
        });
    }

    @Override
    public boolean succeed(IdempotencyKey key, UUID token, Optional<Payload> result) {
        return changes("marks Succeeded ", key, token, pending -> Optional.of(pending.succeeded(result)));
    }

    @Override
    public LastStep.Result commitWith(LastStep step) {
        boolean done = step.doneBy(this, insert -> {
            throw new UnsupportedOperationException("A batch claims first.");
        });
        if (!done) {
            return LastStep.Result.NOT_MINE;
        }
        connection.commit(transaction.orElseThrow());
        return LastStep.Result.DONE;
    }

    @Override
    public boolean hasEnded(IdempotencyKey key, Throwable thrown) {
        return false;
    }

    @Override
    public void beginUnclaimed(IdempotencyKey key) {}

    @Override
    public boolean fail(IdempotencyKey key, UUID token, Failure failure) {
        return changes("marks Failed ", key, token, pending -> Optional.of(pending.failed(failure)));
    }

    @Override
    public boolean release(IdempotencyKey key, UUID token) {
        return changes("releases ", key, token, pending -> Optional.empty());
    }

    @Override
    public boolean replaceToken(IdempotencyKey key, UUID token, UUID fresh) {
        return changes("replaces the token of ", key, token, pending -> Optional.of(pending.ledBy(fresh)));
    }

    @Override
    public boolean confirm(IdempotencyKey key, UUID token) {
        return pass("confirms " + key.value(), () -> waits(key), open -> {
            Optional<IdempotencyRecord> record =
                    open.find(key).filter(found -> found.token().equals(token));
            record.ifPresent(found -> open.change(key, Optional.of(found)));
            return record.isPresent();
        });
    }

    private boolean changes(
            String what, IdempotencyKey key, UUID token, Function<Pending, Optional<IdempotencyRecord>> change) {
        Function<Open, Boolean> action = open -> {
            Optional<Pending> pending = open.find(key)
                    .filter(record ->
                            record instanceof Pending && record.token().equals(token))
                    .map(Pending.class::cast);
            pending.ifPresent(found -> open.change(key, change.apply(found)));
            return pending.isPresent();
        };
        if (transaction.filter(open -> open.holds(key)).isPresent()) {
            // Nobody else can see it before the commit.
            caller.requireNotGone();
            return action.apply(transaction.get());
        }
        return pass(what + key.value() + name(token), () -> waits(key), action);
    }
}
