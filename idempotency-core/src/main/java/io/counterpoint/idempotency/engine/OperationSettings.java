package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.Operation.Abandoned;
import io.counterpoint.idempotency.internal.Durations;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import java.time.Duration;

/**
 * The settings of an operation, validated by its builder.
 *
 * @param <C> the handle that domain code gets
 * @param <R> the type of the result
 * @param name the operation's name, part of every key
 * @param protocol how keys are claimed
 * @param recordLast whether the work runs without a claim and its record is inserted with the commit
 * @param environment what the operation shares with others
 * @param payloads encodes and decodes results
 * @param userCode the functions that belong to the operation
 * @param abandoned how abandoned attempts are handled
 * @param grace how old a leader's last change may be
 * @param maxWait how long a follower waits for a running leader
 * @param maxWaiting how many followers of a process may wait at once, across all keys
 * @param retention how long a record answers retries
 * @param settleWithin how long a call tries to resolve a commit whose reply was lost
 * @param retries how often the work may run again
 */
public record OperationSettings<C, R>(
        String name,
        Protocol protocol,
        boolean recordLast,
        Environment<C> environment,
        Payloads<R> payloads,
        UserCode<C, R> userCode,
        Abandoned abandoned,
        Duration grace,
        Duration maxWait,
        int maxWaiting,
        Duration retention,
        Duration settleWithin,
        int retries) {

    private static final Duration LONGEST_LOCK_WAIT = Duration.ofMinutes(1);

    /** Returns the waits of a call that begins now. */
    Waiting waiting(Interrupts interrupts) {
        return new Waiting(environment.clock(), maxWait, interrupts);
    }

    /**
     * Returns these settings adapted to a batch. In one transaction, no claim is committed before its work, regardless
     * of the operation's own protocol: an operation that would claim first claims within that transaction.
     */
    OperationSettings<C, R> inBatch(BatchLimits.Mode mode) {
        if (mode == BatchLimits.Mode.EACH_ITS_OWN || protocol == Protocol.SINGLE_TRANSACTION) {
            return this;
        }
        Duration wait = maxWait.isZero() ? Waiting.LOCK_WAIT : maxWait;
        Duration bounded = wait.compareTo(LONGEST_LOCK_WAIT) < 0 ? wait : LONGEST_LOCK_WAIT;
        return new OperationSettings<>(
                name,
                Protocol.SINGLE_TRANSACTION,
                false,
                environment,
                payloads,
                userCode,
                abandoned,
                grace,
                bounded,
                maxWaiting,
                retention,
                settleWithin,
                retries);
    }

    /** All settings by name. User functions are shown by their purpose. */
    @Override
    public String toString() {
        return "[" + name
                + ", protocol " + (recordLast ? "RECORD_LAST" : protocol)
                + (userCode.hasLookUp() ? ", with a lookup" : ", without a lookup")
                + ", abandoned " + abandoned + (abandoned == Abandoned.LEAVE ? "" : " after " + Durations.text(grace))
                + ", waits at most " + Durations.text(maxWait)
                + (maxWait.isZero() ? "" : ", " + maxWaiting + " callers at once")
                + ", retention " + Durations.text(retention) + ", settles within " + Durations.text(settleWithin)
                + ", retries " + retries + ", results up to " + payloads.maxBytes() + " bytes]";
    }
}
