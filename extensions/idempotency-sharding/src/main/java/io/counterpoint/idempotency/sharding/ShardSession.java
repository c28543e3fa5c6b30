package io.counterpoint.idempotency.sharding;

import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.ForwardingStore;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.WorkScope;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/** A session of one shard, which records the exceptions that it throws. */
final class ShardSession<C> extends ForwardingStore.ForwardingSession<C> {

    private final Consumer<? super Throwable> thrown;

    ShardSession(Session<C> session, Consumer<? super Throwable> thrown) {
        super(session);
        this.thrown = thrown;
    }

    static <T> T shown(Consumer<? super Throwable> thrown, Supplier<T> step) {
        try {
            return step.get();
        } catch (RuntimeException | Error caught) {
            thrown.accept(caught);
            throw caught;
        }
    }

    @Override
    public <T> T autoCommit(Function<? super RecordSteps, ? extends T> step) {
        return shown(thrown, () -> session.autoCommit(step));
    }

    @Override
    public Optional<IdempotencyRecord> claimAndLock(
            Pending pending, Duration retention, Duration lockWait, Durability durability) {
        return shown(thrown, () -> session.claimAndLock(pending, retention, lockWait, durability));
    }

    @Override
    public <T> T inTransaction(BiFunction<? super RecordSteps, ? super WorkScope<C>, ? extends T> body) {
        return shown(thrown, () -> session.inTransaction(body));
    }
}
