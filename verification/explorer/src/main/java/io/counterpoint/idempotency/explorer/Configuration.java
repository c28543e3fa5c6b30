package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import java.time.Duration;

/**
 * How an operation is set up, of all the ways that matter to the protocol.
 *
 * @param protocol the protocol
 * @param abandoned what becomes of an abandoned key
 * @param planned whether the result is known before the work
 * @param looksUp whether followers look the effect up; with {@code EXTERNAL} they do anyway
 * @param releases whether a failed key is released
 * @param waits whether followers wait
 * @param retries how often the work runs again
 * @param believesEverything whether anything thrown by external work is declared to mean that there is no effect, which
 *     is a lie
 * @param probablyClaimed whether sessions say that the key seems claimed, rightly or not
 * @param endsTransactions whether a run of the work that fails does so by ending its transaction with SQL text
 */
record Configuration(
        Protocol protocol,
        Abandoned abandoned,
        boolean planned,
        boolean looksUp,
        boolean releases,
        boolean waits,
        int retries,
        boolean believesEverything,
        boolean probablyClaimed,
        boolean endsTransactions) {

    enum Protocol {
        CLAIM_FIRST,
        SINGLE_TRANSACTION,
        RECORD_LAST,
        EXTERNAL
    }

    enum Abandoned {
        FAIL,
        TAKE_OVER,
        LEAVE
    }

    /** All callers use the same key. */
    static final IdempotencyKey KEY = new IdempotencyKey("user:1", "operation", "key");

    static final Duration GRACE = Duration.ofMinutes(1);
    static final Duration RETENTION = Duration.ofDays(1);

    /** As long as one sleep, or less. */
    private static final Duration WAIT = Duration.ofSeconds(2);

    private static final Attempt ATTEMPT =
            Attempt.in(KEY.scope()).key(KEY.value()).request("request");

    static Configuration claimFirst(Abandoned abandoned) {
        return new Configuration(Protocol.CLAIM_FIRST, abandoned, false, false, false, false, 0, false, false, false);
    }

    static Configuration singleTransaction() {
        return new Configuration(
                Protocol.SINGLE_TRANSACTION, Abandoned.FAIL, false, false, false, false, 0, false, false, false);
    }

    static Configuration recordLast(Abandoned abandoned) {
        return new Configuration(Protocol.RECORD_LAST, abandoned, false, false, false, false, 0, false, false, false);
    }

    static Configuration external() {
        return new Configuration(Protocol.EXTERNAL, Abandoned.LEAVE, false, true, false, false, 0, false, false, false);
    }

    Configuration withPlan() {
        return new Configuration(
                protocol,
                abandoned,
                true,
                looksUp,
                releases,
                waits,
                retries,
                believesEverything,
                probablyClaimed,
                endsTransactions);
    }

    Configuration lookingUp() {
        return new Configuration(
                protocol,
                abandoned,
                planned,
                true,
                releases,
                waits,
                retries,
                believesEverything,
                probablyClaimed,
                endsTransactions);
    }

    Configuration releasing() {
        return new Configuration(
                protocol,
                abandoned,
                planned,
                looksUp,
                true,
                waits,
                retries,
                believesEverything,
                probablyClaimed,
                endsTransactions);
    }

    Configuration waiting() {
        return new Configuration(
                protocol,
                abandoned,
                planned,
                looksUp,
                releases,
                true,
                retries,
                believesEverything,
                probablyClaimed,
                endsTransactions);
    }

    Configuration retrying() {
        return new Configuration(
                protocol,
                abandoned,
                planned,
                looksUp,
                releases,
                waits,
                1,
                believesEverything,
                probablyClaimed,
                endsTransactions);
    }

    Configuration believingEverything() {
        return new Configuration(
                protocol,
                abandoned,
                planned,
                looksUp,
                releases,
                waits,
                retries,
                true,
                probablyClaimed,
                endsTransactions);
    }

    Configuration seemingClaimed() {
        return new Configuration(
                protocol,
                abandoned,
                planned,
                looksUp,
                releases,
                waits,
                retries,
                believesEverything,
                true,
                endsTransactions);
    }

    Configuration endingTransactions() {
        return new Configuration(
                protocol,
                abandoned,
                planned,
                looksUp,
                releases,
                waits,
                retries,
                believesEverything,
                probablyClaimed,
                true);
    }

    /** Whether a release shows that what ran before is never committed. */
    boolean excludesOlderRuns() {
        return protocol != Protocol.RECORD_LAST && !planned;
    }

    boolean isExternal() {
        return protocol == Protocol.EXTERNAL;
    }

    /** Whether a call after the grace period always learns more than that a leader may be at work. */
    boolean endsEverything() {
        return !isExternal() && abandoned != Abandoned.LEAVE;
    }

    private boolean means(Throwable thrown) {
        return believesEverything || (thrown instanceof WorkFailed failed && failed.declared());
    }

    /** One call, on this thread. */
    Outcome<String> call(Idempotency<Transaction> idempotency, UserCode code) {
        return isExternal() ? callExternal(idempotency, code) : callHere(idempotency, code);
    }

    private Outcome<String> callHere(Idempotency<Transaction> idempotency, UserCode code) {
        Operation.Builder<Transaction, String> builder = idempotency
                .operation(KEY.operation(), ResultCodec.string())
                .retention(RETENTION)
                .retries(retries);
        if (protocol == Protocol.SINGLE_TRANSACTION) {
            builder.protocol(Operation.Protocol.SINGLE_TRANSACTION);
        } else if (waits) {
            builder.waitAtMost(WAIT);
        }
        if (protocol == Protocol.RECORD_LAST) {
            builder.protocol(Operation.Protocol.RECORD_LAST);
        }
        decideAbandoned(builder);
        if (looksUp) {
            builder.lookUpByKey((handle, key) -> code.lookUp());
        }
        if (releases) {
            builder.releaseOn(this::means);
        }
        Operation<Transaction, String> operation = builder.build();
        return planned
                ? operation.executePlanned(ATTEMPT, code::freshValue, (handle, plan) -> code.write(plan))
                : operation.execute(ATTEMPT, handle -> code.write(code.freshValue()));
    }

    private void decideAbandoned(Operation.Builder<Transaction, String> builder) {
        switch (abandoned) {
            case FAIL -> builder.whenAbandoned(Operation.Abandoned.FAIL, GRACE);
            case TAKE_OVER -> builder.whenAbandoned(Operation.Abandoned.TAKE_OVER, GRACE);
            case LEAVE -> builder.whenAbandoned(Operation.Abandoned.LEAVE, Duration.ofMinutes(1));
        }
    }

    private Outcome<String> callExternal(Idempotency<Transaction> idempotency, UserCode code) {
        ExternalOperation.Builder<String> builder = idempotency
                .external(KEY.operation(), ResultCodec.string(), unresolved -> code.lookUpExternally())
                .retention(RETENTION);
        if (waits) {
            builder.waitAtMost(WAIT);
        }
        if (releases) {
            builder.releaseOn(this::means);
        } else {
            builder.noEffectWhen(this::means);
        }
        ExternalOperation<String> operation = builder.build();
        return planned
                ? operation.executePlanned(ATTEMPT, code::freshValue, (key, plan) -> code.writeExternally(plan))
                : operation.execute(ATTEMPT, key -> code.writeExternally(code.freshValue()));
    }
}
