package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.admin.AuditTrail;
import io.counterpoint.idempotency.admin.Resolution;
import io.counterpoint.idempotency.admin.Resolution.Answered;

/** Used without the actuator, when nobody can resolve attempts. */
enum NoAudit implements AuditTrail {
    REFUSES;

    @Override
    public void asked(Resolution resolution) {
        throw new IllegalStateException(
                "A resolution needs an audit trail, but there is none. Nothing was changed. Define a bean of type"
                        + " AuditTrail.");
    }

    @Override
    public void answered(Answered answered) {}
}
