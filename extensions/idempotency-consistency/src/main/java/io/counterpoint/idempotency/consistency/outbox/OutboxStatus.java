package io.counterpoint.idempotency.consistency.outbox;

import java.time.Duration;

/**
 * The backlog of a topic's publishers.
 *
 * @param topic the topic
 * @param waiting events that are neither published nor parked
 * @param parked events that were parked and are waiting for an operator
 * @param lag the age of the oldest waiting event, by the database's clock; zero if there is none
 */
public record OutboxStatus(String topic, long waiting, long parked, Duration lag) {}
