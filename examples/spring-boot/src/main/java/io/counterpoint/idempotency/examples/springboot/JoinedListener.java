package io.counterpoint.idempotency.examples.springboot;

import io.counterpoint.idempotency.examples.springboot.GroupService.Joined;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** Receives "joined" events. With a real broker, use the broker's listener annotation instead. */
@Component
class JoinedListener {

    private final GroupService service;

    JoinedListener(GroupService service) {
        this.service = service;
    }

    @EventListener
    void joined(Joined message) {
        service.join(message);
    }
}
