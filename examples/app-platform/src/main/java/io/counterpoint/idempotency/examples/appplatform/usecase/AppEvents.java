package io.counterpoint.idempotency.examples.appplatform.usecase;

import java.util.UUID;
import org.jdbi.v3.core.Handle;

/** Notifies the eventually consistent parts of each change, through an event in the same transaction. */
public interface AppEvents {

    /** Announces a new app. */
    void appCreated(Handle handle, UUID app);

    /** Announces a changed app and increments its version. */
    void appChanged(Handle handle, Object app);

    /** Queues an execution. */
    void executionTriggered(Handle handle, UUID execution);
}
