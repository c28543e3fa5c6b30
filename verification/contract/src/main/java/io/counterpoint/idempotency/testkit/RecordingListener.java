package io.counterpoint.idempotency.testkit;

import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyListener;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Records the events that it receives. */
final class RecordingListener implements IdempotencyListener {

    private final List<String> events = new CopyOnWriteArrayList<>();

    /** The events since the last call, in order. */
    List<String> take() {
        List<String> taken = List.copyOf(events);
        events.clear();
        return taken;
    }

    /** How many times work ran again, according to the events since the last call. */
    int reruns() {
        return Collections.frequency(events, "retried");
    }

    @Override
    public void onEvent(IdempotencyEvent event) {
        if (event instanceof IdempotencyEvent.Failed failed) {
            events.add("failed " + failed.failure().code());
        } else if (event instanceof IdempotencyEvent.Rejected rejected) {
            events.add("rejected " + rejected.failure().code());
        } else if (event instanceof IdempotencyEvent.Arbitrated arbitrated) {
            events.add(arbitrated.committed() ? "arbitrated: committed" : "arbitrated: not committed");
        } else {
            events.add(event.name().replace('_', ' '));
        }
    }
}
