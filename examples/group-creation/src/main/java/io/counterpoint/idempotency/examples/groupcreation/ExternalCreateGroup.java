package io.counterpoint.idempotency.examples.groupcreation;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.PlannedExternalOperation;
import io.counterpoint.idempotency.ResultCodec;
import java.sql.SQLException;
import org.jdbi.v3.core.Jdbi;

/**
 * The same use case with groups and idempotency records in different databases: the group commits first, then its
 * record. A leader that dies between the two commits leaves a {@code Pending} record and a group. The next retry heals
 * the key: it looks up the planned group, finds it and completes the record, so no second group is created.
 *
 * <p>A leader that dies before the group commits leaves a {@code Pending} record without a group. The key then stays in
 * progress until an operator resolves it, because nothing proves that the group will not still be committed.
 */
public final class ExternalCreateGroup {

    private final Jdbi jdbi;
    private final Groups groups;
    private final PlannedExternalOperation<GroupCreated> createGroup;

    /**
     * Creates the use case.
     *
     * @param idempotency uses a store in the records' database
     * @param jdbi connects to the groups' database
     */
    public ExternalCreateGroup(Idempotency<?> idempotency, Jdbi jdbi, Groups groups) {
        this.jdbi = jdbi;
        this.groups = groups;
        this.createGroup = idempotency
                .external(
                        // Don't reuse CreateGroup's operation name: its records say nothing about these groups.
                        "create-group-elsewhere",
                        ResultCodec.text(GroupCreated::print, GroupCreated::parse),
                        unresolved -> Lookup.of(unresolved
                                .plan()
                                .filter(planned -> jdbi.withHandle(handle -> groups.isThere(handle, planned)))))
                .planned()
                // A violated constraint proves that the group's transaction was rolled back.
                .refusedWhen(ExternalCreateGroup::violatesConstraint)
                .build();
    }

    /** Creates the group, or replays the first result. Invalid requests are refused before the key is claimed. */
    public Outcome<GroupCreated> execute(CreateGroupRequest request) throws Groups.Refused {
        Groups.requireWanted(request);
        return createGroup.execute(
                request.attempt(),
                GroupCreated::withNewIdentifiers,
                (key, planned) -> jdbi.useTransaction(handle -> groups.insert(handle, planned, request)));
    }

    /** Returns the key of a request's record, for operator tools. */
    public IdempotencyKey keyOf(CreateGroupRequest request) {
        return createGroup.keyOf(request.attempt());
    }

    private static boolean violatesConstraint(Throwable thrown) {
        return thrown.getCause() instanceof SQLException cause
                && String.valueOf(cause.getSQLState()).startsWith("23");
    }
}
