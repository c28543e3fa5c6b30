package io.counterpoint.idempotency.testing;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the proxy knows about one session: the SQL of its prepared statements and portals, and its open round trips.
 *
 * <p>Drivers give names to statements that they use often, and pgjdbc does so even for COMMIT; after that, the SQL
 * itself is no longer sent.
 */
final class Conversation {

    /** What happens to a message from the server. */
    enum Answer {
        FORWARD,
        WITHHOLD,
        CUT
    }

    private final int connection;
    private final Traffic traffic;
    private final Map<String, String> sqlByStatement = new HashMap<>();
    private final Map<String, String> sqlByPortal = new HashMap<>();
    private final Deque<Batch> open = new ArrayDeque<>();
    private RoundTrip roundTrip;
    private boolean started;
    private boolean withholding;

    Conversation(int connection, Traffic traffic) {
        this.connection = connection;
        this.traffic = traffic;
        this.roundTrip = new RoundTrip(connection);
    }

    /** Whether the session has started, so that messages are now about statements. */
    synchronized boolean hasStarted() {
        return started;
    }

    /** Records names from a client's message; returns the SQL if the message executes a statement. */
    synchronized @Nullable String executedBy(WireMessage message) {
        switch (message.type()) {
            case WireMessage.PARSE -> sqlByStatement.put(message.text(0), message.text(1));
            case WireMessage.BIND ->
                sqlByPortal.put(
                        message.text(0), sqlByStatement.getOrDefault(message.text(1), "unknown: " + message.text(1)));
            case WireMessage.EXECUTE -> {
                return sqlByPortal.getOrDefault(message.text(0), "unknown: " + message.text(0));
            }
            case WireMessage.QUERY -> {
                return message.text(0);
            }
            default -> {
                // Other messages neither define names nor execute anything.
            }
        }
        return null;
    }

    /** Whether the server has more replies to come for the same batch. */
    synchronized boolean answersMore() {
        Batch batch = open.peekFirst();
        return batch != null && batch.unanswered.size() > 1;
    }

    /** Records that a client's message is now sent to the server. */
    synchronized void sent(WireMessage message, @Nullable String sql, boolean loseAnswer) {
        if (!started) {
            return;
        }
        Batch batch = open.peekLast();
        if (batch == null) {
            roundTrip = new RoundTrip(connection);
            traffic.begun(roundTrip);
        }
        if (batch == null || batch.ended) {
            batch = new Batch();
            open.addLast(batch);
        }
        if (sql != null) {
            roundTrip.add(sql);
            batch.unanswered.addLast(loseAnswer);
        }
        if (message.endsWhatIsSent()) {
            batch.ended = true;
        }
    }

    /**
     * Decides what happens to a message from the server. A reply that is to be lost is cut only once the server is
     * ready again, because outside a transaction a statement's reply precedes its commit.
     *
     * @param loseAnswer whether this reply and what follows it are to be lost
     */
    synchronized Answer answered(WireMessage message, boolean loseAnswer) {
        Batch batch = open.peekFirst();
        if (batch != null) {
            withholding |= loseAnswer || batch.losesAnswerTo(message);
        }
        if (message.type() != WireMessage.READY_FOR_QUERY) {
            return withholding ? Answer.WITHHOLD : Answer.FORWARD;
        }
        started = true;
        if (batch != null) {
            open.removeFirst();
            if (open.isEmpty() && !roundTrip.onlyChecksConnection()) {
                traffic.finished();
            }
        }
        return withholding ? Answer.CUT : Answer.FORWARD;
    }

    /** A batch of messages that the server answers together, up to its message that it is ready again. */
    private static final class Batch {

        /** For each statement without a reply so far: whether its reply is to be lost. */
        private final Deque<Boolean> unanswered = new ArrayDeque<>();

        private boolean ended;

        boolean losesAnswerTo(WireMessage message) {
            boolean lost = Boolean.TRUE.equals(unanswered.peekFirst());
            switch (message.type()) {
                case WireMessage.COMMAND_COMPLETE, WireMessage.EMPTY_QUERY, WireMessage.PORTAL_SUSPENDED -> {
                    unanswered.pollFirst();
                    return lost;
                }
                case WireMessage.ERROR -> {
                    // The server skips the rest of the batch, so this is the reply to all of it.
                    return unanswered.contains(true);
                }
                default -> {
                    return lost;
                }
            }
        }
    }
}
