package io.counterpoint.idempotency.examples.groupcreation.breaker;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.examples.groupcreation.CreateGroupRequest;
import io.counterpoint.idempotency.examples.groupcreation.GroupCreated;
import io.counterpoint.idempotency.examples.groupcreation.Groups;
import java.util.function.Function;

/**
 * Creates a group once per key, wherever groups live.
 *
 * @param execution creates the group, or answers as a retry
 * @param keys the name under which the library keeps its record of a request
 */
public record UseCase(Execution execution, Function<CreateGroupRequest, IdempotencyKey> keys) {

    /** Creates the group, or answers as a retry. */
    @FunctionalInterface
    public interface Execution {
        /** Returns what the library answers. */
        Outcome<GroupCreated> execute(CreateGroupRequest request) throws Groups.Refused;
    }

    Outcome<GroupCreated> execute(CreateGroupRequest request) throws Groups.Refused {
        return execution.execute(request);
    }

    IdempotencyKey keyOf(CreateGroupRequest request) {
        return keys.apply(request);
    }
}
