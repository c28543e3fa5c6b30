package io.counterpoint.idempotency.examples.groupcreation;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jspecify.annotations.Nullable;

/** The domain: a group, its members, its conversation, and an event for interested readers. */
class Groups {

    static final int LONGEST_NAME = 80;

    private static final Set<String> RESERVED = Set.of("admin", "support", "system");

    /** Writes a group in the caller's transaction. */
    void insert(Handle handle, GroupCreated planned, CreateGroupRequest request) throws GroupRefused {
        Optional<GroupRefused> refusal = refusal(request.name());
        if (refusal.isPresent()) {
            throw refusal.get();
        }

        handle.createUpdate("insert into chat_group (id, name) values (:id, :name)")
                .bind("id", planned.groupId())
                .bind("name", request.name())
                .execute();

        PreparedBatch memberships = handle.prepareBatch(
                "insert into membership (group_id, user_id, role) values (:groupId, :userId, :role)");
        memberships
                .bind("groupId", planned.groupId())
                .bind("userId", request.user())
                .bind("role", "owner")
                .add();
        for (String member : request.members()) {
            memberships
                    .bind("groupId", planned.groupId())
                    .bind("userId", member)
                    .bind("role", "member")
                    .add();
        }
        memberships.execute();

        handle.createUpdate("insert into conversation (id, group_id) values (:id, :groupId)")
                .bind("id", planned.conversationId())
                .bind("groupId", planned.groupId())
                .execute();
        handle.createUpdate("insert into outbox_event (id, group_id, type) values (:id, :groupId, 'group-created')")
                .bind("id", UUID.randomUUID())
                .bind("groupId", planned.groupId())
                .execute();
    }

    /** Writes a group in a transaction of its own. Only {@link GroupRefused} means that none is committed. */
    void create(Jdbi jdbi, GroupCreated planned, CreateGroupRequest request) throws GroupRefused {
        jdbi.useTransaction(handle -> insert(handle, planned, request));
    }

    /** Whether a planned group is there, by its primary key. */
    boolean isThere(Handle handle, GroupCreated planned) {
        return handle.createQuery("select count(*) from chat_group where id = :id")
                        .bind("id", planned.groupId())
                        .mapTo(int.class)
                        .one()
                > 0;
    }

    /** Every group with what belongs to it. A group that is complete has one row without a null. */
    List<Row> all(Handle handle) {
        return handle.createQuery("""
                        select g.id group_id, o.user_id owner, c.id conversation_id, e.id event_id
                        from chat_group g
                        left join membership o on o.group_id = g.id and o.role = 'owner'
                        left join conversation c on c.group_id = g.id
                        left join outbox_event e on e.group_id = g.id
                        """).map(ConstructorMapper.of(Row.class)).list();
    }

    /** Why a name is refused, if it is. */
    static Optional<GroupRefused> refusal(String name) {
        if (name.length() > LONGEST_NAME) {
            return Optional.of(
                    new GroupRefused("name-too-long", "A group's name has at most " + LONGEST_NAME + " characters."));
        }
        if (RESERVED.stream().anyMatch(name.strip()::equalsIgnoreCase)) {
            return Optional.of(new GroupRefused("name-reserved", "This name is reserved."));
        }
        return Optional.empty();
    }

    record Row(
            UUID groupId,
            @Nullable String owner,
            @Nullable UUID conversationId,
            @Nullable UUID eventId) {}
}
