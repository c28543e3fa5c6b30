package io.counterpoint.idempotency.examples.groupcreation.breaker;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.PlannedExternalOperation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.examples.groupcreation.CreateGroupRequest;
import io.counterpoint.idempotency.examples.groupcreation.GroupCreated;
import io.counterpoint.idempotency.examples.groupcreation.Groups;
import org.jdbi.v3.core.Jdbi;

/**
 * The use case with {@code external}: groups are in another database than the idempotency records. The group is
 * committed first, then the record. A leader that dies between the two leaves a {@code Pending} record, and the lookup
 * heals it.
 */
final class ExternalCreateGroup implements UseCase {

    private final Jdbi jdbi;
    private final Groups groups;
    private final PlannedExternalOperation<GroupCreated> createGroup;

    ExternalCreateGroup(Idempotency<?> idempotency, Jdbi jdbi, Groups groups) {
        this.jdbi = jdbi;
        this.groups = groups;
        this.createGroup = idempotency
                .external(
                        // Another name than in one database: a record of that operation says nothing about this one.
                        "create-group-elsewhere",
                        ResultCodec.text(GroupCreated::print, GroupCreated::parse),
                        unresolved -> Lookup.of(unresolved
                                .plan()
                                .filter(planned -> jdbi.withHandle(handle -> groups.isThere(handle, planned)))))
                .planned()
                .build();
    }

    @Override
    public Outcome<GroupCreated> execute(CreateGroupRequest request) throws Groups.Refused {
        Groups.requireWanted(request);
        return createGroup.execute(
                request.attempt(),
                GroupCreated::withNewIdentifiers,
                (key, planned) -> jdbi.useTransaction(handle -> groups.insert(handle, planned, request)));
    }

    @Override
    public IdempotencyKey keyOf(CreateGroupRequest request) {
        return createGroup.keyOf(request.attempt());
    }
}
