package io.counterpoint.idempotency.examples.groupcreation.breaker;

import io.counterpoint.idempotency.consistency.outbox.OutboxEvent;
import io.counterpoint.idempotency.examples.groupcreation.SessionHub;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;

/**
 * A hub that fails on purpose. It loses messages, and it also fails between the members of a group, at most once per
 * event, so the event is published again and some members get it twice. Sessions run on the publisher's thread.
 */
final class LossyHub extends SessionHub {

    private final int losesEvery;
    private final int failsEvery;
    private final Set<UUID> failed = new HashSet<>();
    private int messages;
    private int lost;

    /**
     * Creates a hub. Messages are numbered from 1.
     *
     * @param losesEvery loses each message whose number is a multiple of this
     * @param failsEvery fails on each message whose number is a multiple of this
     */
    LossyHub(int losesEvery, int failsEvery) {
        super(Runnable::run);
        this.losesEvery = losesEvery;
        this.failsEvery = failsEvery;
    }

    @Override
    public synchronized void send(String member, OutboxEvent event) {
        messages++;
        if (messages % failsEvery == 0 && failed.add(event.id())) {
            throw new IllegalStateException("The hub fails on purpose.");
        }
        if (messages % losesEvery == 0) {
            lost++;
        } else {
            super.send(member, event);
        }
    }

    synchronized int messages() {
        return messages;
    }

    synchronized int lost() {
        return lost;
    }

    synchronized int failures() {
        return failed.size();
    }
}
