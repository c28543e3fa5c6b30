package io.counterpoint.idempotency.testing;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the proxy knows about one session: which SQL its prepared statements and portals stand for, and which round trips
 * are open.
 *
 * <p>Drivers give names to statements that they use often, pgjdbc to COMMIT as well: after that the SQL itself is not
 * sent any more.
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

    /** Whether the client has been let in, so that messages are about statements now. */
    synchronized boolean hasStarted() {
        return started;
    }

    /** Learns names from a client's message; returns the SQL if it is a message that executes a statement. */
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
                // Neither names nor executes anything.
            }
        }
        return null;
    }

    /** Whether the server has more to answer after this, to what was sent together. */
    synchronized boolean answersMore() {
        Batch batch = open.peekFirst();
        return batch != null && batch.unanswered.size() > 1;
    }

    /** Notes that a client's message goes to the server now. */
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
     * Decides about a message from the server. A lost answer is cut only when the server is ready again: the answer to
     * a statement outside a transaction comes before its commit.
     *
     * @param loseAnswer whether this answer and what follows it is to be lost
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

    /** What the server answers as one, up to the message that it is ready again. */
    private static final class Batch {

        /** For each statement without an answer so far: whether its answer is to be lost. */
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
                    // The server skips the rest, so this is the answer to all of it.
                    return unanswered.contains(true);
                }
                default -> {
                    return lost;
                }
            }
        }
    }
}
