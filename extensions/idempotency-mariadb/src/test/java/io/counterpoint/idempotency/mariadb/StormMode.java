package io.counterpoint.idempotency.mariadb;

import java.time.Duration;

/** The protocols of the storm. */
enum StormMode {
    CLAIM_FIRST,
    CLAIM_FIRST_PLANNED,
    SINGLE_TRANSACTION,
    SINGLE_TRANSACTION_PLANNED,
    RECORD_LAST,
    EXTERNAL,
    EXTERNAL_PLANNED;

    /** Shorter than some of the work, so live leaders are mistaken for dead ones. */
    static final Duration GRACE = Duration.ofMillis(150);

    boolean plans() {
        return this == CLAIM_FIRST_PLANNED || this == SINGLE_TRANSACTION_PLANNED || this == EXTERNAL_PLANNED;
    }

    /** Its effects are outside of the cluster, and may be missing for good without a proof. */
    boolean isExternal() {
        return this == EXTERNAL || this == EXTERNAL_PLANNED;
    }
}
