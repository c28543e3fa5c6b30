package io.counterpoint.idempotency.inbox;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Logs what operators have to know: immediately, and then at most once a minute for each kind of event, with a count.
 * One instance per inbox.
 */
final class InboxLog implements InboxListener {

    private static final System.Logger LOG = System.getLogger(Inbox.class.getName());
    private static final long MINUTE = Duration.ofMinutes(1).toNanos();

    private final LongSupplier nanoTime;
    private final Map<Kind, Since> kinds = new EnumMap<>(Kind.class);

    InboxLog(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    private enum Kind {
        DEAD_LETTER,
        POSTPONED,
        BROKER_FAULT
    }

    /** Occurrences of a kind since it was last logged. */
    private static final class Since {
        private long logged;
        private int events;
    }

    @Override
    public void deadLetter(String inbox, String origin, DeadLetter.Reason reason) {
        log(Kind.DEAD_LETTER, inbox, "messages moved to the dead letters", origin + ", " + reason, null);
    }

    @Override
    public void postponed(String inbox, String origin, Throwable cause) {
        log(Kind.POSTPONED, inbox, "messages postponed, with those behind them waiting", origin, cause);
    }

    @Override
    public void brokerFault(String inbox, Throwable cause) {
        log(Kind.BROKER_FAULT, inbox, "faults of the broker or the loop; the loop continues", cause.toString(), cause);
    }

    private void log(Kind kind, String inbox, String what, String last, @Nullable Throwable cause) {
        int events = count(kind);
        if (events > 0) {
            LOG.log(Level.WARNING, "Inbox " + inbox + ": " + what + ": " + events + "; most recent: " + last, cause);
        }
    }

    /** Returns how many to log now; 0 if a later one logs them. */
    private synchronized int count(Kind kind) {
        long now = nanoTime.getAsLong();
        Since since = kinds.get(kind);
        if (since == null) {
            since = new Since();
            since.logged = now - MINUTE;
            kinds.put(kind, since);
        }
        since.events++;
        if (now - since.logged < MINUTE) {
            return 0;
        }
        int events = since.events;
        since.events = 0;
        since.logged = now;
        return events;
    }
}
