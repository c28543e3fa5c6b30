package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.annotation.Idempotent;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;
import java.io.Serializable;
import java.util.UUID;
import org.springframework.transaction.annotation.Transactional;

/** The work of all variants with entities: the same three inserts, in whatever transaction Spring finds. */
public class SpringGroups {

    private static final String MEMBER = "user:1";

    private final EntityManager entities;
    private final ThreadLocal<Boolean> hasRun = ThreadLocal.withInitial(() -> false);

    SpringGroups(EntityManager entities) {
        this.entities = entities;
    }

    /** Creates a group. */
    @Transactional
    public UUID create() {
        hasRun.set(true);
        UUID id = Domain.newGroupId();
        ChatGroup group = new ChatGroup();
        group.id = id;
        group.name = Domain.GROUP_NAME;
        entities.persist(group);
        GroupMember member = new GroupMember();
        member.group = id;
        member.user = MEMBER;
        entities.persist(member);
        Conversation conversation = new Conversation();
        conversation.id = UUID.randomUUID();
        conversation.group = id;
        entities.persist(conversation);
        return id;
    }

    /** Creates a group once per key. */
    @Idempotent(operation = "spring-annotated", key = "#key", scope = "'user:1'", request = "#name")
    @Transactional
    public UUID create(String key, String name) {
        return create();
    }

    /** Whether the work has run on this thread since the last call of this method. */
    public boolean hasRun() {
        boolean ran = hasRun.get();
        hasRun.set(false);
        return ran;
    }

    /** A group. */
    @SuppressWarnings("NullAway.Init") // Hibernate sets the fields
    @Entity
    @Table(name = "chat_group")
    static class ChatGroup {
        @Id
        private UUID id;

        @Column(name = "name")
        private String name;
    }

    /** A member of a group. */
    @SuppressWarnings("NullAway.Init") // as above
    @Entity
    @Table(name = "group_member")
    @IdClass(GroupMember.Key.class)
    static class GroupMember {
        @Id
        @Column(name = "group_id")
        private UUID group;

        @Id
        @Column(name = "user_id")
        private String user;

        /** The primary key. */
        record Key(UUID group, String user) implements Serializable {}
    }

    /** The conversation of a group. */
    @SuppressWarnings("NullAway.Init") // as above
    @Entity
    @Table(name = "conversation")
    static class Conversation {
        @Id
        private UUID id;

        @Column(name = "group_id")
        private UUID group;
    }
}
