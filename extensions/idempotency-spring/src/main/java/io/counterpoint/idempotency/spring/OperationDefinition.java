package io.counterpoint.idempotency.spring;

import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.interceptor.DelegatingTransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.support.DefaultTransactionDefinition;

/** The definition with which transactions of operations begin. */
final class OperationDefinition {

    /** The default definition. */
    static final TransactionDefinition DEFAULT = of(TransactionDefinition.ISOLATION_DEFAULT);

    private OperationDefinition() {}

    static TransactionDefinition of(int isolation) {
        DefaultTransactionDefinition made = new DefaultTransactionDefinition();
        made.setName("idempotent operation");
        made.setIsolationLevel(isolation);
        return made;
    }

    /** A caller's definition, adapted to a new transaction. The isolation level defaults to the store's. */
    static TransactionDefinition of(TransactionDefinition defined, int isolation) {
        int level = defined.getIsolationLevel() == TransactionDefinition.ISOLATION_DEFAULT
                ? isolation
                : defined.getIsolationLevel();
        if (defined instanceof TransactionAttribute attribute) {
            return new OfMethod(attribute, level);
        }
        DefaultTransactionDefinition made = new DefaultTransactionDefinition(defined);
        made.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRED);
        made.setIsolationLevel(level);
        return made;
    }

    private static final class OfMethod extends DelegatingTransactionAttribute {
        private static final long serialVersionUID = 1L;
        private final int isolation;

        OfMethod(TransactionAttribute attribute, int isolation) {
            super(attribute);
            this.isolation = isolation;
        }

        @Override
        public int getPropagationBehavior() {
            return PROPAGATION_REQUIRED;
        }

        @Override
        public int getIsolationLevel() {
            return isolation;
        }
    }
}
