package io.counterpoint.idempotency.spring;

import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;

/** Notices that Spring suspends the transaction of an operation, before anything else is suspended. */
record SuspensionCheck(JoinedTransaction transaction) implements TransactionSynchronization, Ordered {

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    @Override
    public void suspend() {
        transaction.requireMayBeSuspended();
    }
}
