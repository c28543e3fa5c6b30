package io.counterpoint.idempotency.examples.groupcreation;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Outcome;

/** Creates a group once per key, wherever groups live. */
interface UseCase {
    Outcome<GroupCreated> execute(CreateGroupRequest request) throws GroupRefused;

    /** The name under which the library keeps its record of a request. */
    IdempotencyKey keyOf(CreateGroupRequest request);
}
