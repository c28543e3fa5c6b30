package io.counterpoint.idempotency.examples.groupcreation;

import static io.counterpoint.idempotency.jdbc.Isolation.READ_COMMITTED;

import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.outbox.OutboxEvent;
import io.counterpoint.idempotency.consistency.outbox.OutboxPublisher;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The members that are connected to this process, one session each. In memory, and best effort: a member that is not
 * connected here, or whose session throws, misses the message. It may also get one again: a session recognizes
 * repeated messages by {@link OutboxEvent#id}. A member reads {@link Groups#of} when it connects, and now and then.
 */
public class SessionHub {

    private final Map<String, Consumer<OutboxEvent>> sessions = new ConcurrentHashMap<>();

    /** Connects a member; an earlier session of the same member gets no further message. */
    public void connect(String member, Consumer<OutboxEvent> session) {
        sessions.put(member, session);
    }

    /** Disconnects a session, unless the member has connected again since. */
    public void disconnect(String member, Consumer<OutboxEvent> session) {
        sessions.remove(member, session);
    }

    /** Sends an event to a member, if it is connected. */
    public void send(String member, OutboxEvent event) {
        Consumer<OutboxEvent> session = sessions.get(member);
        if (session != null) {
            try {
                session.accept(event);
            } catch (RuntimeException broken) {
                disconnect(member, session);
            }
        }
    }

    /**
     * Publishes the event of each new group to its members, at least once. Published events stay in the table until
     * {@link io.counterpoint.idempotency.consistency.outbox.Outbox#deletePublished} deletes them.
     *
     * @param store a store in the groups' database
     */
    public OutboxPublisher.Builder publisher(JdbiIdempotencyStore store, Groups groups) {
        Transactions transactions = Transactions.on(store);
        return OutboxPublisher.of(transactions, groups.outbox(), Groups.CREATED, event -> {
            UUID group = UUID.fromString(event.payload());
            List<String> members = transactions.inTransaction(READ_COMMITTED, handle -> groups.members(handle, group));
            members.forEach(member -> send(member, event));
        });
    }
}
