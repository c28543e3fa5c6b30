package io.counterpoint.idempotency.testkit.faults;

import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.ForwardingStore;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.WorkScope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A session whose steps and commits behave as armed by a test. Closing it the first time runs a callback. */
final class FaultySession<C> extends ForwardingStore.ForwardingSession<C> {
    private final ArmedCalls calls;
    private final Runnable onClose;
    private @Nullable FaultySteps latest;
    private boolean closed;

    FaultySession(Session<C> session, ArmedCalls calls, Runnable onClose) {
        super(session);
        this.calls = calls;
        this.onClose = onClose;
    }

    @Override
    public Optional<IdempotencyRecord> claimAndLock(
            Pending pending, Duration retention, Duration lockWait, Durability durability) {
        return autoCommit(steps -> steps.claim(pending, retention, lockWait, durability));
    }

    @Override
    public <T> T autoCommit(Function<? super RecordSteps, ? extends T> step) {
        List<ArmedCall> done = new ArrayList<>(1);
        T answer = session.autoCommit(transaction -> step.apply(new FaultySteps(calls, transaction, done)));
        done.forEach(ArmedCall::ends);
        return answer;
    }

    @Override
    public <T> T inTransaction(BiFunction<? super RecordSteps, ? super WorkScope<C>, ? extends T> body) {
        List<ArmedCall> commit = new ArrayList<>(1);
        latest = null;
        T answer = session.inTransaction((transaction, scope) -> {
            FaultySteps steps = new FaultySteps(calls, transaction, null);
            latest = steps;
            T answered = body.apply(steps, scope);
            steps.refuseIfLost();
            if (steps.commit().isEmpty()) {
                ArmedCall call = calls.next(StoreCall.COMMIT);
                call.begins();
                commit.add(call);
            }
            return answered;
        });
        sent().ifPresent(commit::add);
        commit.forEach(ArmedCall::ends);
        return answer;
    }

    private Optional<ArmedCall> sent() {
        return Optional.ofNullable(latest).flatMap(FaultySteps::commit);
    }

    @Override
    public boolean commitMayBeSent() {
        return sent().isPresent() || super.commitMayBeSent();
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            onClose.run();
        }
        session.close();
    }
}
