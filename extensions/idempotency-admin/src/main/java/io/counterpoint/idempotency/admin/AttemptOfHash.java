package io.counterpoint.idempotency.admin;

/** An attempt that an operator is about to resolve: see {@link Administration#attempt}. */
public final class AttemptOfHash {

    private final Administration administration;
    private final AuditTrail audit;
    private final String hash;

    AttemptOfHash(Administration administration, AuditTrail audit, String hash) {
        this.administration = administration;
        this.audit = audit;
        this.hash = hash;
    }

    /**
     * Adds the operator's name.
     *
     * @param operator 1 to 255 characters, none of them a control character
     * @return the next step
     * @throws RefusedException if it is blank, too long, or more than one line
     */
    public ByOperator by(String operator) {
        OperatorsWord.requireText("an operator", operator, OperatorsWord.MAX_OPERATOR);
        return new ByOperator(operator);
    }

    /** An attempt and the operator's name. */
    public final class ByOperator {
        private final String operator;

        private ByOperator(String operator) {
            this.operator = operator;
        }

        /**
         * Adds the reason, or how the operator knows. If the attempt is resolved as failed, retries get the reason, so
         * it must not contain secrets.
         *
         * @param reason 1 to 500 characters, none of them a control character
         * @return the last step, which resolves the attempt
         * @throws RefusedException if it is blank, too long, or more than one line
         */
        public OperatorsWord because(String reason) {
            return new OperatorsWord(administration, audit, hash, operator, reason);
        }
    }
}
