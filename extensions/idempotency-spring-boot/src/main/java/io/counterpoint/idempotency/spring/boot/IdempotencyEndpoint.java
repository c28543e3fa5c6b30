package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.admin.DatabaseException;
import io.counterpoint.idempotency.admin.NotFoundException;
import io.counterpoint.idempotency.admin.OperatorsWord;
import io.counterpoint.idempotency.admin.RefusedException;
import io.counterpoint.idempotency.admin.Resolution.Answered;
import io.counterpoint.idempotency.admin.Resolution.Verdict;
import io.counterpoint.idempotency.admin.StoredRecord;
import java.security.Principal;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.lang.Nullable;

/**
 * The endpoint for operators: look up a key by its hash, as shown in messages; list unsettled attempts; settle or
 * resolve those with an external effect. It shows no results, and shows scopes and keys only with {@code
 * idempotency.endpoint.show-keys=true}.
 *
 * <p>It is off unless exposed. Resolving also requires {@code management.endpoint.idempotency.access=unrestricted} and
 * an authenticated caller, which JMX does not provide. Each resolution is recorded as an audit event and a log entry,
 * with the caller's name and the reason.
 */
@Endpoint(id = "idempotency", defaultAccess = Access.READ_ONLY)
public final class IdempotencyEndpoint {

    private static final int LISTED = 100;

    private static final Duration OLD = Duration.ofMinutes(1);

    private static final String NOT_KNOWN_YET =
            "The lookup cannot tell yet whether the request took effect. Nothing was changed.";

    private final KeyRecords records;
    private final List<ResolvableOperation<?>> resolvable;

    IdempotencyEndpoint(KeyRecords records, List<ResolvableOperation<?>> resolvable) {
        this.records = records;
        this.resolvable = resolvable;
    }

    /**
     * Returns the unsettled attempts, oldest change first, at most {@value #LISTED}.
     *
     * @param unchangedFor how long they have not changed; default 1 minute
     * @return the attempts; 400 with a message if the time is negative
     */
    @ReadOperation
    public Object pending(@Nullable String unchangedFor) {
        return answer(() ->
                Map.of("pending", records.pending(unchangedFor == null ? OLD : durationOf(unchangedFor), LISTED)));
    }

    private static Duration durationOf(String unchangedFor) {
        try {
            return DurationStyle.detectAndParse(unchangedFor);
        } catch (IllegalArgumentException | ArithmeticException | DateTimeException unreadable) {
            throw new IllegalArgumentException(
                    "The parameter unchangedFor must be a duration, such as 5m or PT5M.", unreadable);
        }
    }

    /**
     * Returns the record of a key. This reads the keys of the whole table, which takes about a second per million.
     *
     * @param hash the hash, or at least its first 16 digits, as shown after the {@code #} in messages
     * @return the record; 404 if there is none; 400 with a message if this is not a hash or matches several keys
     */
    @ReadOperation
    public Object record(@Selector String hash) {
        return answer(() -> records.view(records.find(hash).orElseThrow(NotFoundException::new)));
    }

    /**
     * Settles an attempt with an external effect, by its lookup or on the operator's decision. Changes only pending
     * records.
     *
     * @param caller the operator
     * @param hash the hash, or at least its first 16 digits
     * @param outcome {@code settle}: the lookup decides; {@code succeeded}: the effect exists; {@code failed}: it does
     *     not and never will
     * @param reason how the operator knows
     * @param result for {@code succeeded}: the result, in the format of the operation's codec; omitted if the record
     *     contains it because the attempt was planned or its effect is known
     * @return the outcome that retries get from now on, with a message if the lookup knows nothing yet; 404 if there is
     *     no such record; 400 with a message if something is missing or rejected, in which case nothing was changed;
     *     503 with a message if the lookup or the follow-up failed or its outcome is unknown
     */
    @WriteOperation
    public Object resolve(
            SecurityContext caller,
            @Selector String hash,
            @Nullable String outcome,
            @Nullable String reason,
            @Nullable String result) {
        return answer(() -> {
            Principal principal = caller.getPrincipal();
            if (principal == null) {
                throw new RefusedException(
                        "A resolution needs an authenticated caller, but there is none. Nothing was changed.");
            }
            Verdict verdict = Verdict.parse(required("outcome", outcome, "settle, succeeded or failed"));
            String why = required("reason", reason, "how you know");
            if (result != null && verdict != Verdict.SUCCEEDED) {
                throw new RefusedException("Only an attempt that succeeded has a result. Nothing was changed.");
            }
            StoredRecord found = records.find(hash).orElseThrow(NotFoundException::new);
            ResolvableOperation<?> operation = resolvable(found);
            OperatorsWord word = records.administration()
                    .attempt(found.key().hash())
                    .by(principal.getName())
                    .because(why);
            Answered answered = switch (verdict) {
                case SETTLE -> operation.settled(word);
                case SUCCEEDED -> operation.succeeded(word, Optional.ofNullable(result));
                case FAILED -> operation.failed(word);
            };
            String key = found.key().toString();
            return answered.outcome().equals("InProgress")
                    ? Map.of("key", key, "outcome", "InProgress", "message", NOT_KNOWN_YET)
                    : Map.of("key", key, "outcome", answered.outcome());
        });
    }

    /** Spring Boot would answer 400 without saying what is missing. */
    private static String required(String name, @Nullable String value, String what) {
        if (value == null) {
            throw new RefusedException(
                    "The parameter " + name + " is missing. Pass " + what + ". Nothing was changed.");
        }
        return value;
    }

    private ResolvableOperation<?> resolvable(StoredRecord found) {
        String name = found.key().operation();
        return resolvable.stream()
                .filter(it -> it.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new RefusedException("The operation " + name + " cannot be resolved here: it has no"
                        + " bean of type ResolvableOperation. " + found.ending()));
    }

    /** Spring Boot would omit the message of a rejection. */
    private static Object answer(Supplier<Object> read) {
        try {
            return read.get();
        } catch (NotFoundException absent) {
            return new WebEndpointResponse<>(
                    Map.of("message", "There is no record with this hash."), WebEndpointResponse.STATUS_NOT_FOUND);
        } catch (RefusedException | IllegalArgumentException refused) {
            return new WebEndpointResponse<>(
                    Map.of("message", String.valueOf(refused.getMessage())), WebEndpointResponse.STATUS_BAD_REQUEST);
        } catch (IdempotencyException | DatabaseException unknown) {
            // The cause's message may contain a secret.
            String cause = unknown instanceof IdempotencyException && unknown.getCause() != null
                    ? " Cause: " + unknown.getCause().getClass().getName() + "."
                    : "";
            return new WebEndpointResponse<>(
                    Map.of("message", unknown.getMessage() + cause), WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
        }
    }
}
