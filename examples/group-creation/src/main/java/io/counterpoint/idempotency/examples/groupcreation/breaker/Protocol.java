package io.counterpoint.idempotency.examples.groupcreation.breaker;

/** The values of {@code --protocol}. */
public enum Protocol {
    CLAIM_FIRST("claim-first"),
    SINGLE_TRANSACTION("single-transaction"),
    EXTERNAL("external");

    private final String option;

    Protocol(String option) {
        this.option = option;
    }

    /** As on the command line. */
    @Override
    public String toString() {
        return option;
    }
}
