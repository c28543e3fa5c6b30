package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.admin.AuditTrail;
import io.counterpoint.idempotency.admin.Resolution;
import io.counterpoint.idempotency.admin.Resolution.Answered;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.context.ApplicationEventPublisher;

/** Writes a log entry before each resolution, and an audit event and another log entry afterwards. */
final class PublishedAudit implements AuditTrail {

    private static final Logger LOG = LoggerFactory.getLogger(IdempotencyEndpoint.class);

    private final ApplicationEventPublisher events;

    PublishedAudit(ApplicationEventPublisher events) {
        this.events = events;
    }

    private static String key(Resolution resolution) {
        return resolution.operation() + "#" + resolution.hash().substring(0, 16);
    }

    @Override
    public void asked(Resolution resolution) {
        LOG.info(
                "Idempotency key {} is being resolved ({}) by {}: {}.",
                key(resolution),
                resolution.verdict(),
                resolution.operator(),
                resolution.reason());
    }

    @Override
    public void answered(Answered answered) {
        Resolution resolution = answered.resolution();
        LOG.info("Retries with idempotency key {} now get {}.", key(resolution), answered.outcome());
        events.publishEvent(new AuditApplicationEvent(new AuditEvent(
                resolution.operator(),
                "IDEMPOTENCY_RESOLVED",
                Map.of(
                        "key",
                        key(resolution),
                        "hash",
                        resolution.hash(),
                        "outcome",
                        resolution.verdict().toString(),
                        "reason",
                        resolution.reason(),
                        "now",
                        answered.outcome()))));
    }
}
