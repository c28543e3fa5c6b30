package io.counterpoint.idempotency.examples.groupcreation.breaker;

import io.counterpoint.idempotency.examples.groupcreation.Groups;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;
import org.jspecify.annotations.Nullable;

/**
 * A group in the database and what belongs to it. A complete group has exactly one row, without nulls.
 *
 * @param published whether its event is published
 */
record WrittenGroup(
        UUID groupId,
        @Nullable String owner,
        @Nullable UUID conversationId,
        @Nullable UUID eventId,
        boolean published) {

    static List<WrittenGroup> all(Jdbi jdbi) {
        return jdbi.withHandle(handle -> handle.createQuery("""
                        select g.id group_id, o.user_id owner, c.id conversation_id, e.id event_id,
                            case when e.published_at is null then false else true end published
                        from chat_group g
                        left join membership o on o.group_id = g.id and o.role = 'owner'
                        left join conversation c on c.group_id = g.id
                        left join outbox_event e on e.topic = :created and e.order_key = cast(g.id as char(36))
                        """)
                .bind("created", Groups.CREATED)
                .map(ConstructorMapper.of(WrittenGroup.class))
                .list());
    }

    /** How many events have no group. */
    static int eventsWithoutGroup(Jdbi jdbi) {
        return jdbi.withHandle(handle -> handle.createQuery("""
                        select count(*) from outbox_event e where e.topic = :created
                            and not exists (select 1 from chat_group g where cast(g.id as char(36)) = e.payload)
                        """)
                .bind("created", Groups.CREATED)
                .mapTo(int.class)
                .one());
    }

    static Set<UUID> identifiers(List<WrittenGroup> groups) {
        return groups.stream().map(WrittenGroup::groupId).collect(Collectors.toSet());
    }
}
