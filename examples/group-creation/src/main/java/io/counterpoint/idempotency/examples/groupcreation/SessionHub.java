package io.counterpoint.idempotency.examples.groupcreation;

import static io.counterpoint.idempotency.jdbc.Isolation.READ_COMMITTED;

import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.outbox.OutboxEvent;
import io.counterpoint.idempotency.consistency.outbox.OutboxPublisher;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * The members connected to this process, with one session each. In memory and best effort: a member that is not
 * connected here misses the message, and a session that throws an exception is disconnected. A message can also arrive
 * twice; sessions detect duplicates by {@link OutboxEvent#id}. Members read {@link Groups#of} when they connect, and
 * from time to time.
 *
 * <p>Each session is an actor with its own mailbox and handles one message at a time, so a slow session delays nobody
 * else. When the mailbox is full, messages are dropped and counted; the member finds their content in the tables.
 */
public class SessionHub {

    /** The capacity of a session's mailbox. */
    static final int MAILBOX = 64;

    private final Map<String, Session> sessions = new ConcurrentHashMap<>();
    private final LongAdder dropped = new LongAdder();
    private final Executor threads;

    /** Creates a hub that runs sessions on its own daemon threads. */
    public SessionHub() {
        this(Executors.newCachedThreadPool(work -> {
            Thread thread = new Thread(work, "session");
            thread.setDaemon(true);
            return thread;
        }));
    }

    /** Creates a hub that runs sessions on the given executor. */
    protected SessionHub(Executor threads) {
        this.threads = threads;
    }

    /** Connects a member. An earlier session of the same member receives no more messages. */
    public void connect(String member, Consumer<OutboxEvent> session) {
        sessions.put(member, new Session(member, session));
    }

    /**
     * Disconnects a session, unless the member has reconnected since. Pass the same object as to {@link #connect}; a
     * method reference evaluated twice is two objects.
     */
    public void disconnect(String member, Consumer<OutboxEvent> session) {
        sessions.computeIfPresent(member, (name, connected) -> connected.receiver == session ? null : connected);
    }

    /** Sends an event to a member if the member is connected and the mailbox has room. */
    public void send(String member, OutboxEvent event) {
        Session session = sessions.get(member);
        if (session != null) {
            session.tell(event);
        }
    }

    /** Returns how many messages were dropped because a mailbox was full. */
    public long dropped() {
        return dropped.sum();
    }

    private final class Session implements Runnable {
        private final String member;
        private final Consumer<OutboxEvent> receiver;
        private final Queue<OutboxEvent> mailbox = new ArrayBlockingQueue<>(MAILBOX);
        private final AtomicBoolean runs = new AtomicBoolean();

        Session(String member, Consumer<OutboxEvent> receiver) {
            this.member = member;
            this.receiver = receiver;
        }

        void tell(OutboxEvent event) {
            if (!mailbox.offer(event)) {
                dropped.increment();
            }
            runUnlessItRuns();
        }

        private void runUnlessItRuns() {
            if (!mailbox.isEmpty() && runs.compareAndSet(false, true)) {
                threads.execute(this);
            }
        }

        @Override
        public void run() {
            try {
                OutboxEvent event = mailbox.poll();
                while (event != null && sessions.get(member) == this) {
                    receiver.accept(event);
                    event = mailbox.poll();
                }
            } catch (RuntimeException broken) {
                sessions.remove(member, this);
            } finally {
                runs.set(false);
            }
            if (sessions.get(member) == this) {
                // A message may have arrived after the last poll.
                runUnlessItRuns();
            }
        }
    }

    /**
     * Publishes the event of each new group to its members, at least once. Published events stay in the table until you
     * delete them with {@link io.counterpoint.idempotency.consistency.outbox.Outbox#deletePublished}.
     *
     * @param store a store in the groups' database
     */
    public OutboxPublisher.Builder publisher(JdbiIdempotencyStore store, Groups groups) {
        Transactions transactions = Transactions.on(store);
        return OutboxPublisher.builder(transactions, groups.outbox(), Groups.CREATED, event -> {
            UUID group = UUID.fromString(event.payload());
            List<String> members = transactions.inTransaction(READ_COMMITTED, handle -> groups.members(handle, group));
            members.forEach(member -> send(member, event));
        });
    }
}
