package io.counterpoint.idempotency.examples.groupcreation;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.PlannedOperation;
import io.counterpoint.idempotency.ResultCodec;
import org.jdbi.v3.core.Handle;

/** The use case: creates a group once per key. The group, its event and the key's record commit together. */
public final class CreateGroup {

    private final PlannedOperation<Handle, GroupCreated> operation;
    private final Groups groups;

    public CreateGroup(Idempotency<Handle> idempotency, Groups groups) {
        this(operation(idempotency, groups).build(), groups);
    }

    /** For an operation with your own settings. */
    public CreateGroup(PlannedOperation<Handle, GroupCreated> operation, Groups groups) {
        this.operation = operation;
        this.groups = groups;
    }

    /** Returns a builder for the operation. The protocol is claim-first unless you change it. */
    public static PlannedOperation.Builder<Handle, GroupCreated> operation(
            Idempotency<Handle> idempotency, Groups groups) {
        return idempotency
                .operation("create-group", ResultCodec.text(GroupCreated::print, GroupCreated::parse))
                .describeFailure(thrown -> new Failure("internal-error", ""))
                .planned()
                .lookUpByPlan(groups::isThere);
    }

    /** Creates the group, or replays the first result. Invalid requests are refused before the key is claimed. */
    public Outcome<GroupCreated> execute(CreateGroupRequest request) throws Groups.Refused {
        Groups.requireWanted(request);
        return operation.execute(
                request.attempt(),
                GroupCreated::withNewIdentifiers,
                (handle, planned) -> groups.insert(handle, planned, request));
    }
}
