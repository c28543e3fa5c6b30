package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.consistency.invalidation.Invalidation;
import io.counterpoint.idempotency.consistency.outbox.Outbox;
import io.counterpoint.idempotency.consistency.outbox.OutboxEvent;
import io.counterpoint.idempotency.examples.appplatform.execution.Worker;
import io.counterpoint.idempotency.examples.appplatform.usecase.AppEvents;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/** Appends events for the eventually consistent parts, in the transaction of the change. */
final class Events implements AppEvents {

    static final String CACHE = "cache";
    static final String SEARCH = "search";

    private final Outbox outbox = Outbox.create();

    Outbox outbox() {
        return outbox;
    }

    /** Announces a new app. */
    @Override
    public void appCreated(Handle handle, UUID app) {
        append(handle, app, 1);
    }

    /** Announces a changed app and increments its version. */
    @Override
    public void appChanged(Handle handle, Object app) {
        handle.execute("UPDATE app SET version = version + 1 WHERE id = ?", app);
        long version = handle.select("SELECT version FROM app WHERE id = ?", app)
                .mapTo(Long.class)
                .one();
        append(handle, app, version);
    }

    /** Announces that a repair changed an app, if it exists, so that the eventually consistent parts reread it. */
    void appRepaired(Handle handle, UUID app) {
        handle.select("SELECT id FROM app WHERE id = ?", app)
                .mapTo(UUID.class)
                .list()
                .forEach(found -> appChanged(handle, found));
    }

    /** Queues an execution for a worker. */
    @Override
    public void executionTriggered(Handle handle, UUID execution) {
        outbox.append(handle, OutboxEvent.of(Worker.TOPIC, execution.toString()));
    }

    private void append(Handle handle, Object app, long version) {
        String id = app.toString();
        outbox.append(
                handle,
                List.of(
                        new Invalidation(ShownApps.TYPE, id, version).event(CACHE),
                        OutboxEvent.ordered(SEARCH, id, Long.toString(version))));
    }
}
