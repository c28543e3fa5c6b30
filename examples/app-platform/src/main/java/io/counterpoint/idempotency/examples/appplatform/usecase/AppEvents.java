package io.counterpoint.idempotency.examples.appplatform.usecase;

import java.util.UUID;
import org.jdbi.v3.core.Handle;

/** What follows the use cases hears of each change, by an event in the transaction of the change. */
public interface AppEvents {

    /** An app is new. */
    void appCreated(Handle handle, UUID app);

    /** An app has changed; this gives it its next version. */
    void appChanged(Handle handle, Object app);

    /** An execution waits to be run. */
    void executionTriggered(Handle handle, UUID execution);
}
