package io.counterpoint.idempotency.examples.springboot;

import io.counterpoint.idempotency.examples.springboot.GroupService.Joined;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** Hears that somebody has joined. An application with a broker annotates the method with the broker's listener. */
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
