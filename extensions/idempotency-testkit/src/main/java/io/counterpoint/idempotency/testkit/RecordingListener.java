package io.counterpoint.idempotency.testkit;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyException.OutcomeUnknownException;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.IdempotencyListener;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Writes down the events that it gets. */
final class RecordingListener implements IdempotencyListener {

    private static final String RUN_AGAIN = "run again";

    private final List<String> events = new CopyOnWriteArrayList<>();

    /** The events since the last time, in their order. */
    List<String> take() {
        List<String> taken = List.copyOf(events);
        events.clear();
        return taken;
    }

    /** How often work ran again, by the events since the last time. */
    int reruns() {
        return Collections.frequency(events, RUN_AGAIN);
    }

    @Override
    public void claimed(IdempotencyKey key) {
        events.add("claimed");
    }

    @Override
    public void succeeded(IdempotencyKey key) {
        events.add("succeeded");
    }

    @Override
    public void failed(IdempotencyKey key, Failure failure) {
        events.add("failed " + failure.code());
    }

    @Override
    public void released(IdempotencyKey key) {
        events.add("released");
    }

    @Override
    public void runAgain(IdempotencyKey key, Throwable cause) {
        events.add(RUN_AGAIN);
    }

    @Override
    public void replayed(IdempotencyKey key) {
        events.add("replayed");
    }

    @Override
    public void healed(IdempotencyKey key) {
        events.add("healed");
    }

    @Override
    public void inProgress(IdempotencyKey key, Duration age) {
        events.add("in progress");
    }

    @Override
    public void rejected(IdempotencyKey key, Failure failure) {
        events.add("rejected " + failure.code());
    }

    @Override
    public void keyReused(IdempotencyKey key) {
        events.add("key reused");
    }

    @Override
    public void takenOver(IdempotencyKey key) {
        events.add("taken over");
    }

    @Override
    public void commitUnknown(IdempotencyKey key, Throwable cause) {
        events.add("commit unknown");
    }

    @Override
    public void afterCommitFailed(IdempotencyKey key, Throwable thrown) {
        events.add("after commit failed");
    }

    @Override
    public void workOutlived(IdempotencyKey key) {
        events.add("work outlived");
    }

    @Override
    public void unresolved(IdempotencyKey key, OutcomeUnknownException told) {
        events.add("unresolved");
    }

    @Override
    public void arbitrated(IdempotencyKey key, boolean committed) {
        events.add(committed ? "arbitrated: committed" : "arbitrated: not committed");
    }
}
