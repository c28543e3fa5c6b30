package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.BatchAttempt;
import io.counterpoint.idempotency.BatchEntry;
import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyException.NotStartedException;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.IdempotencyException.UnstorableResultException;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.engine.BatchWork.WrongResults;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One attempt of a batch: its call, and how it ended. Alone it is executed as any other attempt. */
final class BatchMember<C, R> {

    final BatchAttempt attempt;
    final Call<C, R> call;
    private @Nullable BatchEntry<R> entry;

    BatchMember(OperationSettings<C, R> settings, BatchRequest asked, BatchCode<C, R> code, Waiting waiting) {
        this.attempt = asked.attempt();
        this.call = new Call<>(
                settings,
                asked.request(),
                Optional.empty(),
                (handle, key, plan) -> only(code.run(handle, List.of(asked.attempt()), place -> {})),
                waiting);
    }

    private R only(List<R> results) {
        if (results == null || results.size() != 1) {
            WrongResults wrong = new WrongResults(1, results);
            // Beside an earlier run in doubt the attempt is not released, but fails.
            throw call.doubt.exists()
                    ? new UnstorableResultException(Reason.RESULT_UNSTORABLE, call.key, wrong.getMessage(), null)
                    : wrong;
        }
        return results.get(0);
    }

    /**
     * What it claims with others, under a token of its own. Where the result is known, the record is inserted as it will
     * stand: nobody sees it before the commit, and no mark has to change it.
     */
    IdempotencyRecord record() {
        Optional<Payload> known = call.settings.payloads().known();
        UUID token = call.tokens.fresh();
        return known.isPresent()
                ? new Succeeded(call.key, Protocol.SINGLE_TRANSACTION, token, call.request.fingerprint(), known)
                : new Pending(
                        call.key,
                        Protocol.SINGLE_TRANSACTION,
                        token,
                        call.request.fingerprint(),
                        Optional.empty(),
                        Duration.ZERO);
    }

    /** Executes it as if it were no part of a batch. */
    void executeAlone(Optional<IdempotencyRecord> known) {
        try {
            answer(call.interrupts.keptFromStore(() -> new Engine<>(call).answer(known)));
        } catch (WrongResults wrong) {
            fail(refused(wrong));
        } catch (Exception | Error thrown) {
            fail(thrown);
        }
    }

    /** It was committed with others. */
    void succeed(R result) {
        Environment<C> environment = call.settings.environment();
        environment.recentKeys().add(call.key);
        environment.unfinished().forget(call.key);
        answer(call.executed(result));
    }

    /** Whether a commit of its batch was not answered, and no claim waits for it. */
    boolean isLeftInDoubt() {
        return call.doubt.exists() && !call.locks.settlesBatchTogether();
    }

    /** A mistake of the joint work is nobody's failure: its key can be used again. */
    NotStartedException refused(WrongResults wrong) {
        call.tell(IdempotencyEvent.WrongResults::new, wrong);
        return new NotStartedException(Reason.WRONG_RESULTS, call.key, wrong.getMessage(), null);
    }

    void fail(Throwable thrown) {
        entry = new BatchEntry.Thrown<>(call.key, thrown);
    }

    private void answer(Outcome<R> outcome) {
        entry = new BatchEntry.Answered<>(outcome);
    }

    BatchEntry<R> entry() {
        if (entry == null) {
            throw new IllegalStateException(call.key + ": an attempt of a batch was left without an answer.");
        }
        return entry;
    }
}
