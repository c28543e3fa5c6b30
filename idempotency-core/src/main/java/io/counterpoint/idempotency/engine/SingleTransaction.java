package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.engine.DomainTransaction.End;
import io.counterpoint.idempotency.engine.DomainTransaction.Ending;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import io.counterpoint.idempotency.spi.Session;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/** SINGLE_TRANSACTION: claim, work and mark commit together or not at all. */
final class SingleTransaction<C, R> {

    private final Call<C, R> call;
    private final Claims<C, R> claims;

    SingleTransaction(Call<C, R> call) {
        this.call = call;
        this.claims = new Claims<>(call);
    }

    Next<R> claim() {
        for (int runs = 1; ; runs++) {
            UUID token = call.tokens.fresh();
            DomainTransaction<C, R> transaction =
                    new DomainTransaction<>(call, token, call.plan, call.plan.isPresent() ? Ending.GUARD : Ending.MARK);
            IdempotencyRecord record = record(token);
            Optional<IdempotencyRecord> present;
            End end;
            Instant begun = call.waiting.now();
            // The transaction closes the session too. It stays closed.
            try (Session<C> session = claims.open(claimWait())) {
                present = claims.recordIfProbablyClaimed(session);
                end = present.isPresent() ? End.SUPERSEDED : run(transaction, session, record);
            }
            if (present.isPresent()) {
                return new Next.Follow<>(present.get());
            }
            if (transaction.hasLed()) {
                led();
            }
            if (end == End.COMMITTED) {
                return new Next.Answer<>(call.executed(transaction.result()));
            }
            if (end == End.SUPERSEDED) {
                return transaction.hasLed()
                        ? new Next.RetryNow<>()
                        : new Next.Follow<>(transaction.found().orElseThrow(call::purgedInDoubt));
            }
            if (end == End.IN_DOUBT) {
                return claimAgain(transaction, begun);
            }
            Throwable thrown = transaction.thrown();
            if (!transaction.hasLed()) {
                return claims.rolledBack(thrown);
            }
            if (!transaction.runsAgain(runs)) {
                return new Settlement<>(call).failUnclaimed(token, thrown);
            }
            call.waiting.pause(runs);
        }
    }

    /**
     * The insert has waited for whatever was in doubt before, and has found nothing. Where locks are local to a node it has
     * waited for nothing: an old commit may still win, until one of this call is answered.
     */
    private void led() {
        call.restartBudgets();
        call.hasLed = true;
        if (call.store.hasGlobalLocks()) {
            call.runsInDoubt.rolledBack();
            call.claimed();
        } else {
            call.notifyListener(listener -> listener.claimed(call.key));
        }
    }

    /** With a plan the record is inserted as it will stand. The transaction's atomicity does the rest. */
    private IdempotencyRecord record(UUID token) {
        return call.plan.isPresent()
                ? new Succeeded(
                        call.key, Protocol.SINGLE_TRANSACTION, token, call.request.fingerprint(), call.encodedPlan)
                : new Pending(
                        call.key,
                        Protocol.SINGLE_TRANSACTION,
                        token,
                        call.request.fingerprint(),
                        Optional.empty(),
                        Duration.ZERO);
    }

    private End run(DomainTransaction<C, R> transaction, Session<C> session, IdempotencyRecord record) {
        return transaction.run(
                session,
                steps -> transaction.leadsAfter(
                                steps.claim(record, call.settings.retention(), claimWait(), Durability.DURABLE))
                        && !claims.recordMayBePurged());
    }

    /**
     * To claim again waits for the old transaction, or competes with it where locks are local. A commit of this call then
     * shows which of the two stands.
     */
    private Next<R> claimAgain(DomainTransaction<C, R> transaction, Instant begun) {
        Throwable lost = transaction.thrown();
        call.doubt(lost);
        call.runsInDoubt.claimed(transaction.token(), transaction.result(), begun);
        call.notifyListener(listener -> listener.commitUnknown(call.key, lost));
        return new Next.RetryAfterPause<>(lost);
    }

    /** A follower waits as long as its caller wants; a leader in doubt until its old transaction has ended. */
    private Duration claimWait() {
        return call.isInDoubt() ? Waiting.LOCK_WAIT : call.waiting.leftForLock();
    }
}
