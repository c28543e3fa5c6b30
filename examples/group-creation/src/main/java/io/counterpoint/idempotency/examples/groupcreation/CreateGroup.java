package io.counterpoint.idempotency.examples.groupcreation;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import java.time.Duration;
import org.jdbi.v3.core.Handle;

/** The use case, when groups and idempotency records are in one database: both commit together. */
final class CreateGroup implements UseCase {

    private final Groups groups;
    private final Operation<Handle, GroupCreated> createGroup;

    CreateGroup(Idempotency<Handle> idempotency, Groups groups, boolean singleTransaction, Duration grace) {
        this.groups = groups;
        Operation.Builder<Handle, GroupCreated> operation = idempotency
                .operation("create-group", ResultCodec.text(GroupCreated::print, GroupCreated::parse))
                .lookUpByPlan(groups::isThere)
                .failAbandonedAfter(grace)
                .describeFailure(GroupRefused::describe);
        this.createGroup = (singleTransaction ? operation.singleTransaction() : operation).build();
    }

    @Override
    public Outcome<GroupCreated> execute(CreateGroupRequest request) throws GroupRefused {
        return createGroup.executePlanned(
                request.attempt(),
                GroupCreated::withNewIdentifiers,
                (handle, planned) -> groups.insert(handle, planned, request));
    }

    @Override
    public IdempotencyKey keyOf(CreateGroupRequest request) {
        return createGroup.keyOf(request.attempt());
    }
}
