package io.counterpoint.idempotency.inbox;

import java.time.Duration;

/** Keeps what a listener throws away from the inbox. */
final class IsolatedListener implements InboxListener {

    private final InboxListener listener;

    IsolatedListener(InboxListener listener) {
        this.listener = listener;
    }

    @Override
    public void processed(String inbox, Counts counts, Duration duration) {
        isolated(() -> listener.processed(inbox, counts, duration));
    }

    @Override
    public void deadLetter(String inbox, String origin, DeadLetter.Reason reason) {
        isolated(() -> listener.deadLetter(inbox, origin, reason));
    }

    @Override
    public void postponed(String inbox, String origin, Throwable cause) {
        isolated(() -> listener.postponed(inbox, origin, cause));
    }

    @Override
    public void lag(String inbox, String source, long messages) {
        isolated(() -> listener.lag(inbox, source, messages));
    }

    @Override
    public void brokerFault(String inbox, Throwable cause) {
        isolated(() -> listener.brokerFault(inbox, cause));
    }

    private static void isolated(Runnable notification) {
        try {
            notification.run();
        } catch (Throwable ignored) {
            // A listener cannot change what becomes of a message. Other languages throw checked exceptions here too.
            Passing.keepInterrupt(ignored);
        }
    }
}
