package io.counterpoint.idempotency.testkit;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.IdempotencyListener;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Writes down the events that it gets. */
final class RecordingListener implements IdempotencyListener {

    private static final String RUN_AGAIN = "run again";

    private final List<String> told = new CopyOnWriteArrayList<>();

    /** The events since the last time, in their order. */
    List<String> take() {
        List<String> taken = List.copyOf(told);
        told.clear();
        return taken;
    }

    /** How often work ran again, by the events since the last time. */
    int reruns() {
        return Collections.frequency(told, RUN_AGAIN);
    }

    @Override
    public void claimed(IdempotencyKey key) {
        told.add("claimed");
    }

    @Override
    public void succeeded(IdempotencyKey key) {
        told.add("succeeded");
    }

    @Override
    public void failed(IdempotencyKey key, Failure failure) {
        told.add("failed " + failure.code());
    }

    @Override
    public void released(IdempotencyKey key) {
        told.add("released");
    }

    @Override
    public void runAgain(IdempotencyKey key, Throwable cause) {
        told.add(RUN_AGAIN);
    }

    @Override
    public void replayed(IdempotencyKey key) {
        told.add("replayed");
    }

    @Override
    public void healed(IdempotencyKey key) {
        told.add("healed");
    }

    @Override
    public void inProgress(IdempotencyKey key, Duration age) {
        told.add("in progress");
    }

    @Override
    public void rejected(IdempotencyKey key, Failure failure) {
        told.add("rejected " + failure.code());
    }

    @Override
    public void keyReused(IdempotencyKey key) {
        told.add("key reused");
    }

    @Override
    public void takenOver(IdempotencyKey key) {
        told.add("taken over");
    }

    @Override
    public void commitUnknown(IdempotencyKey key, Throwable cause) {
        told.add("commit unknown");
    }

    @Override
    public void afterCommitFailed(IdempotencyKey key, Throwable thrown) {
        told.add("after commit failed");
    }

    @Override
    public void arbitrated(IdempotencyKey key, boolean committed) {
        told.add(committed ? "arbitrated: committed" : "arbitrated: not committed");
    }
}
