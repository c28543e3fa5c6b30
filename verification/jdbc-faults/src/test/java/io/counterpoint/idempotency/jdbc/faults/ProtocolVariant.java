package io.counterpoint.idempotency.jdbc.faults;

import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import java.util.EnumSet;
import java.util.Set;

/** The ways to run an operation. */
enum ProtocolVariant {
    CLAIM_FIRST,
    CLAIM_FIRST_PLANNED,
    SINGLE_TRANSACTION,
    SINGLE_TRANSACTION_PLANNED,
    EXTERNAL;

    static Set<ProtocolVariant> inDatabase() {
        return EnumSet.range(CLAIM_FIRST, SINGLE_TRANSACTION_PLANNED);
    }

    /** The variants that mark a success by a statement, in the transaction of the work. */
    static Set<ProtocolVariant> marked() {
        return EnumSet.range(CLAIM_FIRST, SINGLE_TRANSACTION);
    }

    /** The variants that claim in a transaction of its own: a follower may find {@code Pending} and heal. */
    static Set<ProtocolVariant> claimedFirst() {
        return EnumSet.of(CLAIM_FIRST, CLAIM_FIRST_PLANNED, EXTERNAL);
    }

    boolean planned() {
        return this == CLAIM_FIRST_PLANNED || this == SINGLE_TRANSACTION_PLANNED;
    }

    boolean single() {
        return this == SINGLE_TRANSACTION || this == SINGLE_TRANSACTION_PLANNED;
    }

    Protocol protocol() {
        if (this == EXTERNAL) {
            return Protocol.EXTERNAL;
        }
        return single() ? Protocol.SINGLE_TRANSACTION : Protocol.CLAIM_FIRST;
    }
}
