package io.counterpoint.idempotency.examples.groupcreation.breaker;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.examples.groupcreation.CreateGroupRequest;
import io.counterpoint.idempotency.examples.groupcreation.GroupCreated;
import io.counterpoint.idempotency.examples.groupcreation.Groups;
import java.util.function.Function;

/**
 * Creates a group once per key, in one database or two.
 *
 * @param execution creates the group, or replays the first result
 * @param keys returns the key of a request's record
 */
public record UseCase(Execution execution, Function<CreateGroupRequest, IdempotencyKey> keys) {

    /** Creates the group, or replays the first result. */
    @FunctionalInterface
    public interface Execution {
        /** Returns the library's outcome. */
        Outcome<GroupCreated> execute(CreateGroupRequest request) throws Groups.Refused;
    }

    Outcome<GroupCreated> execute(CreateGroupRequest request) throws Groups.Refused {
        return execution.execute(request);
    }

    IdempotencyKey keyOf(CreateGroupRequest request) {
        return keys.apply(request);
    }
}
