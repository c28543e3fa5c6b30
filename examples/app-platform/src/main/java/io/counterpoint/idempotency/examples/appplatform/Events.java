package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.consistency.outbox.Outbox;
import io.counterpoint.idempotency.consistency.outbox.OutboxEvent;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/** The events for the parts that follow, in the transaction of the change. */
final class Events {

    static final String CACHE = "cache";
    static final String SEARCH = "search";
    static final String USAGE = "usage";

    private final Outbox outbox = Outbox.create();

    Outbox outbox() {
        return outbox;
    }

    /** An app is new. */
    void appCreated(Handle handle, UUID app) {
        append(handle, app, 1);
    }

    /** An app has changed; this gives it its next version. */
    void appChanged(Handle handle, Object app) {
        handle.execute("UPDATE app SET version = version + 1 WHERE id = ?", app);
        long version = handle.createQuery("SELECT version FROM app WHERE id = ?")
                .bind(0, app)
                .mapTo(Long.class)
                .one();
        append(handle, app, version);
    }

    void executionTriggered(Handle handle, long workspace) {
        outbox.append(handle, OutboxEvent.of(USAGE, Long.toString(workspace)));
    }

    private void append(Handle handle, Object app, long version) {
        String id = app.toString();
        outbox.append(
                handle,
                List.of(
                        OutboxEvent.ordered(CACHE, id, Long.toString(version)),
                        OutboxEvent.ordered(SEARCH, id, Long.toString(version))));
    }
}
