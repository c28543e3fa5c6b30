package io.counterpoint.idempotency.jdbc.faults;

import io.counterpoint.idempotency.jdbc.faults.Saboteur.At;
import io.counterpoint.idempotency.jdbc.faults.Saboteur.Fault;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Statements that the server gives up because they take too long, or because they were cancelled. */
@Tag("matrix")
@Timeout(60)
class StatementTimeoutTest extends SabotagedBench {

    StatementTimeoutTest() {
        super("&options=-c%20statement_timeout=500");
    }

    @Test
    void statementTimeoutInTheClaimIsClaimedAgain() {
        executesAfter(Fault.STATEMENT_TIMEOUT, At.CLAIM, ProtocolVariant.CLAIM_FIRST)
                .hasRun(1)
                .succeededOnce();
    }

    @Test
    void statementTimeoutInTheWorkIsRunAgain() {
        executesAfter(Fault.STATEMENT_TIMEOUT, At.DOMAIN, ProtocolVariant.CLAIM_FIRST)
                .hasRun(2)
                .succeededOnce();
    }

    @Test
    void statementTimeoutInTheMarkIsRunAgain() {
        executesAfter(Fault.STATEMENT_TIMEOUT, At.MARK, ProtocolVariant.CLAIM_FIRST)
                .hasRun(2)
                .succeededOnce();
    }

    /**
     * PostgreSQL's own timeout does not run during a COMMIT; a request to cancel is obeyed. The connection is open, so
     * the answer is a proof.
     */
    @Test
    void cancelledCommitOfAnOpenConnectionIsRunAgain() {
        executesAfter(Fault.CANCELLED, At.COMMIT, ProtocolVariant.CLAIM_FIRST)
                .hasRun(2)
                .succeededOnce();
    }

    @Test
    void failureThatTimesOutForGoodIsUnknownWithItsCause() {
        failureIsUnknownAfter(Fault.STATEMENT_TIMEOUT, ProtocolVariant.CLAIM_FIRST)
                .leftPendingWithoutEffect();
    }

    @Test
    void statementTimeoutInTheHealIsHealedInTheEnd() {
        healsDespite(Fault.STATEMENT_TIMEOUT, ProtocolVariant.CLAIM_FIRST);
    }

    @Test
    void statementTimeoutInAnExternalEffectIsUnknownAndNeverRunAgain() {
        externalEffectIsUnknownAfter(Fault.STATEMENT_TIMEOUT);
    }

    @Test
    void externalMarkThatTimesOutForGoodIsHealedByTheNextCall() {
        externalMarkIsLeftAfter(Fault.STATEMENT_TIMEOUT);
    }
}
