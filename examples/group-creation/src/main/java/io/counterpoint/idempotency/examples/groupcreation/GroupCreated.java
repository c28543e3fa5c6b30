package io.counterpoint.idempotency.examples.groupcreation;

import java.util.UUID;

/**
 * The result: the identifiers of the new group and of its conversation. They are generated before anything is written,
 * so they also serve as the plan.
 */
public record GroupCreated(UUID groupId, UUID conversationId) {

    public static GroupCreated withNewIdentifiers() {
        return new GroupCreated(UUID.randomUUID(), UUID.randomUUID());
    }

    public static GroupCreated parse(String text) {
        String[] identifiers = text.split(" ", 2);
        return new GroupCreated(UUID.fromString(identifiers[0]), UUID.fromString(identifiers[1]));
    }

    public String print() {
        return groupId + " " + conversationId;
    }
}
