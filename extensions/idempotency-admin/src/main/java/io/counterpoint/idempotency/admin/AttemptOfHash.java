package io.counterpoint.idempotency.admin;

/** An attempt that an operator is about to end: see {@link Administration#attempt}. */
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
     * Adds who ends it.
     *
     * @param operator 1 to 255 characters, none of them a control character
     * @return the next step
     * @throws RefusedException if it is blank, too long, or more than one line
     */
    public ByOperator by(String operator) {
        OperatorsWord.requireText("an operator", operator, OperatorsWord.MAX_OPERATOR);
        return new ByOperator(operator);
    }

    /** An attempt and who ends it. */
    public final class ByOperator {
        private final String operator;

        private ByOperator(String operator) {
            this.operator = operator;
        }

        /**
         * Adds why, or how the operator knows. Where the attempt is ended as failed, retries get it, so it must hold no
         * secret.
         *
         * @param reason 1 to 500 characters, none of them a control character
         * @return the operator's word, which ends the attempt
         * @throws RefusedException if it is blank, too long, or more than one line
         */
        public OperatorsWord because(String reason) {
            return new OperatorsWord(administration, audit, hash, operator, reason);
        }
    }
}
