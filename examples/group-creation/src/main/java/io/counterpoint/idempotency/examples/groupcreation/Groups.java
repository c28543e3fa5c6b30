package io.counterpoint.idempotency.examples.groupcreation;

import io.counterpoint.idempotency.consistency.outbox.Outbox;
import io.counterpoint.idempotency.consistency.outbox.OutboxEvent;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/**
 * The domain: a group with its owner, members and conversation, and the event that announces it. The tables are the
 * source of truth; events and messages only prompt members to read them, and can be late, duplicated or lost.
 */
public class Groups {

    /** The topic of the event. The payload is the group's identifier. */
    public static final String CREATED = "group-created";

    private static final int LONGEST = 80;
    private static final Set<String> RESERVED = Set.of("admin", "support", "system");

    private final Outbox outbox = Outbox.create();

    public Outbox outbox() {
        return outbox;
    }

    /** Writes a group and its event in the caller's transaction. */
    public void insert(Handle handle, GroupCreated planned, CreateGroupRequest request) {
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

        String group = planned.groupId().toString();
        outbox.append(handle, OutboxEvent.ordered(CREATED, group, group));
    }

    /** Returns whether a planned group exists, by its primary key. */
    public boolean isThere(Handle handle, GroupCreated planned) {
        return handle.createQuery("select count(*) from chat_group where id = :id")
                        .bind("id", planned.groupId())
                        .mapTo(int.class)
                        .one()
                > 0;
    }

    /** Returns the members of a group, including the owner. */
    public List<String> members(Handle handle, UUID group) {
        return handle.createQuery("select user_id from membership where group_id = :group")
                .bind("group", group)
                .mapTo(String.class)
                .list();
    }

    /** Returns the groups of a user. A member who may have missed a message reads this. */
    public Set<UUID> of(Handle handle, String user) {
        return handle.createQuery("select group_id from membership where user_id = :user")
                .bind("user", user)
                .mapTo(UUID.class)
                .set();
    }

    /**
     * Validates a request. Call it before the key is claimed, so the corrected request can use the same key.
     *
     * @throws Refused if the group is invalid
     */
    public static void requireWanted(CreateGroupRequest request) throws Refused {
        Optional<Refused> refusal = refusal(request);
        if (refusal.isPresent()) {
            throw refusal.get();
        }
    }

    /** Returns why a group is refused, or empty if it is valid. */
    public static Optional<Refused> refusal(CreateGroupRequest request) {
        if (request.name().isBlank()) {
            return Optional.of(new Refused("name-missing", "A group must have a name."));
        }
        if (RESERVED.stream().anyMatch(request.name().strip()::equalsIgnoreCase)) {
            return Optional.of(new Refused("name-reserved", "This name is reserved."));
        }
        return Stream.concat(
                        ofText("name", request.name()).stream(),
                        Stream.concat(Stream.of(request.user()), request.members().stream())
                                .flatMap(user -> ofText("user", user).stream()))
                .findFirst();
    }

    private static Optional<Refused> ofText(String what, String text) {
        if (text.length() > LONGEST) {
            return Optional.of(
                    new Refused(what + "-too-long", "A " + what + " must be at most " + LONGEST + " characters long."));
        }
        return text.indexOf('\0') < 0 && StandardCharsets.UTF_8.newEncoder().canEncode(text)
                ? Optional.empty()
                : Optional.of(new Refused(
                        what + "-unstorable", "A " + what + " must not contain NUL or an unpaired surrogate."));
    }

    /** The group is invalid. Nothing was written, and the key can be used again. */
    public static final class Refused extends Exception {
        private static final long serialVersionUID = 1L;

        private final String code;

        Refused(String code, String message) {
            super(message);
            this.code = code;
        }

        public String code() {
            return code;
        }
    }
}
