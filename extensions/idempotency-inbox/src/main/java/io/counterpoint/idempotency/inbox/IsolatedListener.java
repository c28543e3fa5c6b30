package io.counterpoint.idempotency.inbox;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Combines the log and the listeners, and isolates the inbox from their exceptions. */
final class IsolatedListener implements InboxListener {

    private final List<InboxListener> listeners = new ArrayList<>();

    IsolatedListener(InboxListener log, List<InboxListener> others) {
        listeners.add(log);
        listeners.addAll(others);
    }

    @Override
    public void processed(String inbox, Counts counts, Duration duration) {
        isolated(listener -> listener.processed(inbox, counts, duration));
    }

    @Override
    public void deadLetter(String inbox, String origin, DeadLetter.Reason reason) {
        isolated(listener -> listener.deadLetter(inbox, origin, reason));
    }

    @Override
    public void postponed(String inbox, String origin, Throwable cause) {
        isolated(listener -> listener.postponed(inbox, origin, cause));
    }

    @Override
    public void lag(String inbox, String source, long messages) {
        isolated(listener -> listener.lag(inbox, source, messages));
    }

    @Override
    public void brokerFault(String inbox, Throwable cause) {
        isolated(listener -> listener.brokerFault(inbox, cause));
    }

    private void isolated(Consumer<InboxListener> notification) {
        for (InboxListener listener : listeners) {
            try {
                notification.accept(listener);
            } catch (Throwable ignored) {
                // A listener cannot change the fate of a message. Other languages can throw checked exceptions here
                // too.
                Passing.keepInterrupt(ignored);
            }
        }
    }
}
