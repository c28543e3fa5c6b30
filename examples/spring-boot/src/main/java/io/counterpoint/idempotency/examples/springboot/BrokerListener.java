package io.counterpoint.idempotency.examples.springboot;

import io.counterpoint.idempotency.examples.springboot.GroupService.Joined;
import org.springframework.context.annotation.Profile;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * Receives "joined" messages from Kafka. Spring commits the offset after this method returns, so a message is
 * redelivered after a crash in between, but it takes effect only once.
 */
@Component
@Profile("kafka")
class BrokerListener {

    private final GroupService service;
    private final JsonMapper json;

    BrokerListener(GroupService service, JsonMapper json) {
        this.service = service;
        this.json = json;
    }

    @KafkaListener(topics = "joined", groupId = "groups")
    void joined(String message) {
        service.join(json.readValue(message, Joined.class));
    }
}
