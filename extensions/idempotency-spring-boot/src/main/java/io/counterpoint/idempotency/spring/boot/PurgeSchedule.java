package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.annotation.internal.PurgeTask;
import io.counterpoint.idempotency.spring.boot.IdempotencyProperties.Purge;
import org.springframework.context.SmartLifecycle;

/** Runs the purge while the application is running. */
final class PurgeSchedule extends PurgeTask implements SmartLifecycle {

    PurgeSchedule(Idempotency<?> idempotency, Purge purge) {
        super(idempotency, purge.interval(), purge.batch());
    }
}
