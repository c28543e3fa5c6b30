package io.counterpoint.idempotency.testkit;

import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;

/** The ways to run an operation: under each protocol and without a claim, each with and without a plan. */
enum ProtocolVariant {
    CLAIM_FIRST(Protocol.CLAIM_FIRST, false),
    CLAIM_FIRST_PLANNED(Protocol.CLAIM_FIRST, true),
    SINGLE_TRANSACTION(Protocol.SINGLE_TRANSACTION, false),
    SINGLE_TRANSACTION_PLANNED(Protocol.SINGLE_TRANSACTION, true),
    RECORD_LAST(Protocol.SINGLE_TRANSACTION, false),
    RECORD_LAST_PLANNED(Protocol.SINGLE_TRANSACTION, true),
    EXTERNAL(Protocol.EXTERNAL, false),
    EXTERNAL_PLANNED(Protocol.EXTERNAL, true),
    EXTERNAL_THEN(Protocol.EXTERNAL_THEN, false),
    EXTERNAL_THEN_PLANNED(Protocol.EXTERNAL_THEN, true);

    final Protocol protocol;
    final boolean planned;

    ProtocolVariant(Protocol protocol, boolean planned) {
        this.protocol = protocol;
        this.planned = planned;
    }

    /** Whether the claim is committed before the work begins. */
    boolean claimsFirst() {
        return protocol != Protocol.SINGLE_TRANSACTION;
    }

    /** Whether there is no claim, and the record is inserted with the commit. */
    boolean recordsLast() {
        return this == RECORD_LAST || this == RECORD_LAST_PLANNED;
    }

    boolean external() {
        return protocol.isExternal();
    }
}
