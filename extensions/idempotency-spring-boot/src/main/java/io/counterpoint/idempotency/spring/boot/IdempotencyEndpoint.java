package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.admin.Administration;
import io.counterpoint.idempotency.admin.AdministrationException.NotFoundException;
import io.counterpoint.idempotency.admin.AdministrationException.RefusedException;
import io.counterpoint.idempotency.admin.Resolution.Answered;
import io.counterpoint.idempotency.admin.Resolution.Verdict;
import io.counterpoint.idempotency.admin.StoredRecord;
import java.security.Principal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.lang.Nullable;

/**
 * What operators see and do: look a key up by its hash, as messages show it; list attempts without an end; resolve those
 * with an external effect. It shows no result, and scopes and keys only with {@code idempotency.endpoint.show-keys=true}.
 *
 * <p>It is off unless exposed. Resolving also needs {@code management.endpoint.idempotency.access=unrestricted}, and a
 * caller who is authenticated: over JMX there is none. Each resolution is an audit event and a line in the log, with the
 * caller's name and the reason.
 */
@Endpoint(id = "idempotency", defaultAccess = Access.READ_ONLY)
public final class IdempotencyEndpoint {

    private static final int LISTED = 100;

    private static final Duration OLD = Duration.ofMinutes(1);

    private final KeyRecords records;
    private final List<ResolvableOperation<?>> resolvable;

    IdempotencyEndpoint(KeyRecords records, List<ResolvableOperation<?>> resolvable) {
        this.records = records;
        this.resolvable = resolvable;
    }

    /**
     * The attempts that have not ended, with the oldest change first, at most {@value #LISTED}.
     *
     * @param unchangedFor for how long they have not changed; default 1 minute
     * @return the attempts
     */
    @ReadOperation
    public Map<String, Object> pending(@Nullable Duration unchangedFor) {
        try {
            return Map.of("pending", records.pending(unchangedFor == null ? OLD : unchangedFor, LISTED));
        } catch (RefusedException refused) {
            throw refused(String.valueOf(refused.getMessage()));
        }
    }

    /**
     * The record of a key. It reads the keys of the whole table, which takes a second for about a million.
     *
     * @param hash the hash, or its first 16 digits or more, as they stand behind the {@code #} in messages
     * @return the record, or null if there is none
     */
    @ReadOperation
    public @Nullable Object record(@Selector String hash) {
        return find(hash).map(records::view).orElse(null);
    }

    /**
     * Ends an attempt with an external effect on the operator's word. Changes pending records only.
     *
     * @param caller who says so
     * @param hash the hash, or its first 16 digits or more
     * @param outcome {@code succeeded} or {@code failed}
     * @param reason how they know
     * @param result of {@code succeeded}: the result, as the operation's codec has it; ignored where it was planned
     * @return what retries get from now on, or null if there is no such record
     * @throws InvalidEndpointRequestException if something is missing or refused; nothing was changed
     */
    @WriteOperation
    public @Nullable Object resolve(
            SecurityContext caller, @Selector String hash, String outcome, String reason, @Nullable String result) {
        Principal principal = caller.getPrincipal();
        if (principal == null) {
            throw refused("A resolution needs an authenticated caller, found none. Nothing was changed.");
        }
        String operator = principal.getName();
        StoredRecord found = find(hash).orElse(null);
        if (found == null) {
            return null;
        }
        String name = found.key().operation();
        ResolvableOperation<?> operation = resolvable.stream()
                .filter(it -> it.name().equals(name))
                .findFirst()
                .orElseThrow(() -> refused("The operation " + name
                        + " cannot be resolved here: define a bean of type ResolvableOperation"
                        + " for it, if its effect is external. Others end at their next call."));
        Administration administration = records.administration();
        String whole = found.key().hash();
        try {
            Answered answered = Verdict.parse(outcome) == Verdict.SUCCEEDED
                    ? operation.succeeded(administration, whole, result == null ? "" : result, operator, reason)
                    : operation.failed(administration, whole, operator, reason);
            return Map.of("key", found.key().toString(), "outcome", answered.outcome());
        } catch (NotFoundException purged) {
            return null;
        } catch (RefusedException | IllegalArgumentException refused) {
            throw refused(String.valueOf(refused.getMessage()));
        }
    }

    private static InvalidEndpointRequestException refused(String why) {
        return new InvalidEndpointRequestException(why, why);
    }

    private Optional<StoredRecord> find(String hash) {
        try {
            return records.find(hash);
        } catch (RefusedException refused) {
            throw refused(String.valueOf(refused.getMessage()));
        }
    }
}
