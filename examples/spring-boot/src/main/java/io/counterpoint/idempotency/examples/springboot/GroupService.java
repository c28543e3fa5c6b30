package io.counterpoint.idempotency.examples.springboot;

import io.counterpoint.idempotency.annotation.Idempotent;
import java.util.NoSuchElementException;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** The use cases. The changes of a method and its idempotency record commit in one transaction. */
@Service
class GroupService {

    /** The result of a use case, which every retry also gets. */
    record GroupView(long id, String name, int members) {
        static GroupView of(Group group) {
            return new GroupView(group.id(), group.name(), group.members());
        }
    }

    /** A message: a user has joined a group. */
    record Joined(String messageId, long groupId) {
        Joined {
            Texts.require("messageId", messageId);
        }
    }

    private final Groups groups;

    GroupService(Groups groups) {
        this.groups = groups;
    }

    /** The key comes from the request's Idempotency-Key header. */
    @PreAuthorize("hasRole('MEMBER')")
    @Idempotent(operation = "create-group", key = "#attempt")
    @Transactional
    public GroupView create(String name, String owner) {
        return GroupView.of(groups.save(new Group(name, owner)));
    }

    /**
     * The key is the message's id, so a redelivered message has no second effect. An unknown group releases the key.
     */
    @Idempotent(
            operation = "join-group",
            key = "#joined.messageId",
            scope = "'queue:joined'",
            retention = "7d",
            releaseOn = NoSuchElementException.class)
    @Transactional
    public GroupView join(Joined joined) {
        Group group = groups.findById(joined.groupId())
                .orElseThrow(() -> new NoSuchElementException("There is no such group."));
        group.join();
        return GroupView.of(group);
    }
}
