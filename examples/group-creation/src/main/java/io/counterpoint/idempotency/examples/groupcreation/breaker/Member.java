package io.counterpoint.idempotency.examples.groupcreation.breaker;

import io.counterpoint.idempotency.consistency.outbox.OutboxEvent;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;

/** A connected member. It applies each event once, by the event's id, however many times the message arrives. */
final class Member implements Consumer<OutboxEvent> {

    private final Set<UUID> events = new HashSet<>();
    private final List<UUID> groups = new ArrayList<>();
    private int repeated;

    @Override
    public synchronized void accept(OutboxEvent event) {
        if (events.add(event.id())) {
            groups.add(UUID.fromString(event.payload()));
        } else {
            repeated++;
        }
    }

    /** The group of each applied event. A group that is listed twice had two events. */
    synchronized List<UUID> groups() {
        return List.copyOf(groups);
    }

    /** How many messages were ignored. */
    synchronized int repeated() {
        return repeated;
    }
}
