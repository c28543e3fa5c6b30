package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.spring.boot.KeyRecords.Found;
import io.counterpoint.idempotency.spring.boot.KeyRecords.View;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.lang.Nullable;

/**
 * What operators see and do: look a key up by its hash, as messages show it; list attempts without an end; resolve those
 * with an external effect. It shows no scope, key or result.
 *
 * <p>It is off unless exposed. Resolving also needs {@code management.endpoint.idempotency.access=unrestricted}. Each
 * resolution is an audit event and a line in the log, with the operator and the reason. The operator is who they say:
 * protect the endpoint.
 */
@Endpoint(id = "idempotency", defaultAccess = Access.READ_ONLY)
public final class IdempotencyEndpoint {

    private static final Logger LOG = LoggerFactory.getLogger(IdempotencyEndpoint.class);

    private static final int LISTED = 100;

    private static final Duration OLD = Duration.ofMinutes(1);

    private final KeyRecords records;
    private final List<ResolvableOperation<?>> resolvable;
    private final ApplicationEventPublisher events;

    IdempotencyEndpoint(KeyRecords records, List<ResolvableOperation<?>> resolvable, ApplicationEventPublisher events) {
        this.records = records;
        this.resolvable = resolvable;
        this.events = events;
    }

    /**
     * The attempts that have not ended, with the oldest change first, at most {@value #LISTED}.
     *
     * @param unchangedFor for how long they have not changed; default 1 minute
     * @return the attempts
     */
    @ReadOperation
    public Map<String, Object> pending(@Nullable Duration unchangedFor) {
        List<View> found = records.pending(unchangedFor == null ? OLD : unchangedFor, LISTED);
        return Map.of("pending", found);
    }

    /**
     * The record of a key. It reads the keys of the whole table, which takes a second for about a million.
     *
     * @param hash the hash, or its first 16 digits or more, as they stand behind the {@code #} in messages
     * @return the record, or null if there is none
     */
    @ReadOperation
    public @Nullable Object record(@Selector String hash) {
        return find(hash).map(Found::view).orElse(null);
    }

    /**
     * Ends an attempt with an external effect on the operator's word. Changes pending records only.
     *
     * @param hash the hash, or its first 16 digits or more
     * @param outcome {@code succeeded} or {@code failed}
     * @param operator who says so
     * @param reason how they know
     * @param result of {@code succeeded}: the result, as the operation's codec has it; ignored where it was planned
     * @return what retries get from now on, or null if there is no such record
     * @throws InvalidEndpointRequestException if something is missing or refused; nothing was changed
     */
    @WriteOperation
    public @Nullable Object resolve(
            @Selector String hash, String outcome, String operator, String reason, @Nullable String result) {
        if (operator.isBlank() || reason.isBlank()) {
            throw refused("A resolution needs an operator and a reason, found a blank one.");
        }
        Found found = find(hash).orElse(null);
        if (found == null) {
            return null;
        }
        ResolvableOperation<?> operation = resolvable.stream()
                .filter(it -> it.name().equals(found.key().operation()))
                .findFirst()
                .orElseThrow(() -> refused("The operation "
                        + found.key().operation()
                        + " cannot be resolved here: define a bean of type ResolvableOperation"
                        + " for it, if its effect is external. Others settle themselves."));
        Optional<String> now;
        try {
            now = switch (outcome) {
                case "succeeded" -> operation.succeeded(found.key(), result == null ? "" : result);
                case "failed" -> operation.failed(found.key(), new Failure("resolved-by-operator", reason));
                default -> throw refused("An attempt is resolved as succeeded or failed, found another word.");
            };
        } catch (IllegalArgumentException refused) {
            throw refused(String.valueOf(refused.getMessage()));
        }
        if (now.isEmpty()) {
            return null;
        }
        audit(found, outcome, operator, reason, now.get());
        return Map.of("key", found.key().toString(), "outcome", now.get());
    }

    private void audit(Found found, String outcome, String operator, String reason, String now) {
        String key = found.key().toString();
        LOG.info(
                "Idempotency key {} was resolved as {} by {}: {}. Retries get {}.",
                key,
                outcome,
                operator,
                reason,
                now);
        events.publishEvent(new AuditApplicationEvent(new AuditEvent(
                operator,
                "IDEMPOTENCY_RESOLVED",
                Map.of("key", key, "hash", found.view().hash(), "outcome", outcome, "reason", reason, "now", now))));
    }

    private static InvalidEndpointRequestException refused(String why) {
        return new InvalidEndpointRequestException(why, why);
    }

    private Optional<Found> find(String hash) {
        if (!hash.matches("[0-9a-f]{16,64}")) {
            throw refused("A hash has 16 to 64 lower-case hexadecimal digits.");
        }
        return records.find(hash);
    }
}
