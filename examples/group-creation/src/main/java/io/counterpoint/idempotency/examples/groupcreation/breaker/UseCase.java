package io.counterpoint.idempotency.examples.groupcreation.breaker;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.examples.groupcreation.CreateGroupRequest;
import io.counterpoint.idempotency.examples.groupcreation.GroupCreated;
import io.counterpoint.idempotency.examples.groupcreation.Groups;

/** Creates a group once per key, wherever groups live. */
public interface UseCase {
    /** Creates the group, or answers as a retry. */
    Outcome<GroupCreated> execute(CreateGroupRequest request) throws Groups.Refused;

    /** The name under which the library keeps its record of a request. */
    IdempotencyKey keyOf(CreateGroupRequest request);
}
