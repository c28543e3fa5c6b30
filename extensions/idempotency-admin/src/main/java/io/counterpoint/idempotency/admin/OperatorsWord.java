package io.counterpoint.idempotency.admin;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.MisuseException;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.Resolvable;
import io.counterpoint.idempotency.admin.Resolution.Answered;
import io.counterpoint.idempotency.admin.Resolution.Verdict;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/**
 * Resolves an attempt with an external effect on an operator's decision, with an entry in the audit trail. Each method
 * takes the operation as defined by the application.
 *
 * <p>Each method throws {@link RefusedException}, without changing anything, if the request does not fit the record;
 * {@link NotFoundException} if there is no such record; {@link io.counterpoint.idempotency.IdempotencyException} if the
 * lookup or the follow-up failed, or the outcome of the attempt is unknown.
 */
public final class OperatorsWord {

    static final int MAX_OPERATOR = 255;

    private final Administration administration;
    private final AuditTrail audit;
    private final String hash;
    private final String operator;
    private final String reason;

    OperatorsWord(Administration administration, AuditTrail audit, String hash, String operator, String reason) {
        requireText("a reason", reason, Failure.MAX_MESSAGE_LENGTH);
        this.administration = administration;
        this.audit = audit;
        this.hash = hash;
        this.operator = operator;
        this.reason = reason;
    }

    /**
     * Runs the operation's lookup now and settles the attempt accordingly, including its follow-up. If the lookup does
     * not know yet, nothing changes and the outcome is {@code InProgress}.
     *
     * @param operation the operation
     * @return what retries get from now on
     */
    public Answered settle(Resolvable<?> operation) {
        return resolve(operation, Verdict.SETTLE, key -> operation.settle(key).map(OperatorsWord::nameOf));
    }

    /**
     * Resolves the attempt as succeeded, with a result that is not in the record. An outstanding follow-up is run.
     *
     * @param <R> the type of the result
     * @param operation the operation
     * @param result the result
     * @return what retries get from now on
     */
    public <R> Answered succeeded(Resolvable<R> operation, R result) {
        return stateSucceeded(operation, Optional.of(result));
    }

    /**
     * Resolves the attempt as succeeded, with the result in the record, which exists because the attempt was planned or
     * its effect is known. An outstanding follow-up is run.
     *
     * @param operation the operation
     * @return what retries get from now on
     */
    public Answered succeeded(Resolvable<?> operation) {
        return stateSucceeded(operation, Optional.empty());
    }

    private <R> Answered stateSucceeded(Resolvable<R> operation, Optional<R> result) {
        StoredRecord record = resolvable(operation);
        boolean known = record.isPending() && operation.knowsResult(record.key());
        if (record.isPending() && known == result.isPresent()) {
            throw new RefusedException(
                    known
                            ? "The record already has the result, because the attempt was planned or its effect is"
                                    + " known. Nothing was changed. Omit the result."
                            : "The record has no result. Nothing was changed. Pass the result as encoded by the"
                                    + " operation's codec.");
        }
        return resolve(
                operation,
                Verdict.SUCCEEDED,
                key -> result.map(it -> operation.resolveSucceeded(key, it))
                        .orElseGet(() -> operation.resolvePlanned(key))
                        .map(OperatorsWord::nameOf));
    }

    /**
     * Resolves the attempt as failed: there is and will be no effect. Retries get the failure {@code
     * resolved-by-operator} with the reason.
     *
     * @param operation the operation
     * @return what retries get from now on
     */
    public Answered failed(Resolvable<?> operation) {
        Failure failure = new Failure("resolved-by-operator", reason);
        return resolve(
                operation,
                Verdict.FAILED,
                key -> operation.resolveFailed(key, failure).map(OperatorsWord::nameOf));
    }

    private StoredRecord resolvable(Resolvable<?> operation) {
        StoredRecord record = administration.find(hash).orElseThrow(NotFoundException::new);
        String name = record.key().operation();
        if (!operation.name().equals(name)) {
            throw new RefusedException(
                    "The record belongs to operation " + name + ", but the resolution is for another one.");
        }
        if (!record.isResolvable()) {
            throw new RefusedException("Only external attempts can be resolved by hand. " + record.ending());
        }
        return record;
    }

    private Answered resolve(
            Resolvable<?> operation, Verdict verdict, Function<IdempotencyKey, Optional<String>> resolve) {
        StoredRecord record = resolvable(operation);
        Resolution resolution =
                new Resolution(UUID.randomUUID(), record.key().hash(), operation.name(), verdict, operator, reason);
        audit.asked(resolution);
        String outcome;
        try {
            outcome = resolve.apply(record.key()).orElseThrow(NotFoundException::new);
        } catch (MisuseException refused) {
            throw new RefusedException(refused.getMessage() + " Nothing was changed.", refused);
        }
        Answered answered = new Answered(resolution, outcome);
        audit.answered(answered);
        return answered;
    }

    static void requireText(String what, String text, int longest) {
        if (text.trim().isEmpty() || text.length() > longest) {
            throw new RefusedException(
                    "A resolution needs " + what + " of 1 to " + longest + " characters that are not all blank.");
        }
        if (text.chars().anyMatch(OperatorsWord::endsOrRewritesALine)) {
            throw new RefusedException("A resolution needs " + what + " without control characters, which would"
                    + " spread it over several log lines.");
        }
    }

    private static boolean endsOrRewritesALine(int character) {
        return character < ' ' || (character >= 0x7F && character < 0xA0) || character == 0x2028 || character == 0x2029;
    }

    /** The name of the outcome that retries get: a result that is healed now is replayed to them. */
    private static String nameOf(Outcome<?> outcome) {
        return outcome instanceof Outcome.Healed
                ? "Replayed"
                : outcome.getClass().getSimpleName();
    }
}
