package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.WorkScope;
import io.counterpoint.idempotency.testkit.faults.ForwardingSteps;
import io.counterpoint.idempotency.testkit.faults.InterceptingStore;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;

/** Watches all stores of a storm: a leader whose heartbeat was answered is not arbitrated before its grace is over. */
final class Heartbeats {

    private final Duration grace;
    private final Consumer<String> broken;
    private final Map<UUID, Heartbeat> heartbeats = new ConcurrentHashMap<>();

    Heartbeats(Duration grace, Consumer<String> broken) {
        this.grace = grace;
        this.broken = broken;
    }

    private record Heartbeat(Thread leader, long begun, long answered) {}

    IdempotencyStore<Handle> over(IdempotencyStore<Handle> store) {
        return new InterceptingStore<>(store) {
            @Override
            protected RecordSteps steps(RecordSteps steps, Session<Handle> session) {
                return new ForwardingSteps(steps) {
                    @Override
                    public boolean replaceToken(IdempotencyKey key, UUID token, UUID fresh) {
                        long begun = System.nanoTime();
                        boolean changed = super.replaceToken(key, token, fresh);
                        if (changed && fresh.equals(token)) {
                            // Alone it is committed by now.
                            heartbeats.put(token, new Heartbeat(Thread.currentThread(), begun, System.nanoTime()));
                        }
                        return changed;
                    }
                };
            }

            @Override
            protected Session<Handle> decorate(Session<Handle> opened) {
                return new InterceptingSession(opened) {
                    @Override
                    public <T> T inTransaction(
                            BiFunction<? super RecordSteps, ? super WorkScope<Handle>, ? extends T> body) {
                        AtomicReference<UUID> ended = new AtomicReference<>();
                        long[] beforeTheCommit = {0};
                        T answer = session.inTransaction((steps, scope) -> {
                            T made = body.apply(ending(steps, ended), scope);
                            beforeTheCommit[0] = System.nanoTime();
                            return made;
                        });
                        if (ended.get() != null) {
                            arbitrated(ended.get(), beforeTheCommit[0]);
                        }
                        return answer;
                    }
                };
            }
        };
    }

    /** Notes whose attempt a transaction ends. */
    private static RecordSteps ending(RecordSteps steps, AtomicReference<UUID> ended) {
        return new ForwardingSteps(steps) {
            @Override
            public boolean fail(IdempotencyKey key, UUID token, Failure failure) {
                return noted(token, super.fail(key, token, failure));
            }

            @Override
            public boolean replaceToken(IdempotencyKey key, UUID token, UUID fresh) {
                return noted(token, super.replaceToken(key, token, fresh));
            }

            private boolean noted(UUID token, boolean changed) {
                if (changed) {
                    ended.set(token);
                }
                return changed;
            }
        };
    }

    private void arbitrated(UUID token, long beforeTheCommit) {
        Heartbeat heartbeat = heartbeats.get(token);
        if (heartbeat != null && heartbeat.leader() != Thread.currentThread()) {
            // The record's age begins between the beginning of the heartbeat and its answer.
            long since = beforeTheCommit - heartbeat.begun();
            if (beforeTheCommit > heartbeat.answered() && since < grace.toNanos()) {
                broken.accept("a leader was arbitrated "
                        + Duration.ofNanos(since).toMillis() + " ms after a heartbeat that was answered");
            }
        }
    }
}
