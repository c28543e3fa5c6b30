package io.counterpoint.idempotency.examples.groupcreation;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.PlannedExternalOperation;
import io.counterpoint.idempotency.ResultCodec;
import org.jdbi.v3.core.Jdbi;

/**
 * The same use case if groups are in another database than the idempotency records: the group commits first, then its
 * record. A leader that dies between the two leaves a {@code Pending} record and a group. The next retry heals the key:
 * it looks up the planned group, finds it and completes the record, so there is no second group.
 *
 * <p>A leader that dies before the group commits leaves a {@code Pending} record without a group. Its key stays in
 * progress until an operator resolves it, because nothing proves that the group is not still on its way.
 */
public final class ExternalCreateGroup {

    private final Jdbi jdbi;
    private final Groups groups;
    private final PlannedExternalOperation<GroupCreated> createGroup;

    /**
     * The use case on two databases.
     *
     * @param idempotency on a store in the records' database
     * @param jdbi the groups' database
     */
    public ExternalCreateGroup(Idempotency<?> idempotency, Jdbi jdbi, Groups groups) {
        this.jdbi = jdbi;
        this.groups = groups;
        this.createGroup = idempotency
                .external(
                        // Not the name used for one database: the records of that operation say nothing about this one.
                        "create-group-elsewhere",
                        ResultCodec.text(GroupCreated::print, GroupCreated::parse),
                        unresolved -> Lookup.of(unresolved
                                .plan()
                                .filter(planned -> jdbi.withHandle(handle -> groups.isThere(handle, planned)))))
                .planned()
                .build();
    }

    /** What the domain does not want is refused before the key is claimed. */
    public Outcome<GroupCreated> execute(CreateGroupRequest request) throws Groups.Refused {
        Groups.requireWanted(request);
        return createGroup.execute(
                request.attempt(),
                GroupCreated::withNewIdentifiers,
                (key, planned) -> jdbi.useTransaction(handle -> groups.insert(handle, planned, request)));
    }

    /** Identifies the record of a request, for operators' tools. */
    public IdempotencyKey keyOf(CreateGroupRequest request) {
        return createGroup.keyOf(request.attempt());
    }
}
