package io.counterpoint.idempotency.spring;

import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.interceptor.DelegatingTransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.DelegatingTransactionDefinition;

/** What begins the transactions of operations. */
final class OperationDefinition {

    /** Where nobody has said anything else. */
    static final TransactionDefinition DEFAULT = of(TransactionDefinition.ISOLATION_DEFAULT);

    private OperationDefinition() {}

    static TransactionDefinition of(int isolation) {
        DefaultTransactionDefinition made = new DefaultTransactionDefinition();
        made.setName("idempotent operation");
        made.setIsolationLevel(isolation);
        return made;
    }

    /** What a caller has defined, for a transaction of its own. An isolation level that it has not set is the store's. */
    static TransactionDefinition of(TransactionDefinition defined, int isolation) {
        int level = defined.getIsolationLevel() == TransactionDefinition.ISOLATION_DEFAULT
                ? isolation
                : defined.getIsolationLevel();
        return defined instanceof TransactionAttribute attribute
                ? new OfMethod(attribute, level)
                : new OfCaller(defined, level);
    }

    private static final class OfCaller extends DelegatingTransactionDefinition {
        private static final long serialVersionUID = 1L;
        private final int isolation;

        OfCaller(TransactionDefinition defined, int isolation) {
            super(defined);
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
