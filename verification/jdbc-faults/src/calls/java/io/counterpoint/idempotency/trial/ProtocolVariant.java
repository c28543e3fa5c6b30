package io.counterpoint.idempotency.trial;

import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import java.util.Locale;

/** A protocol, with or without a plan. */
enum ProtocolVariant {
    CLAIM_FIRST(Protocol.CLAIM_FIRST, false),
    CLAIM_FIRST_PLANNED(Protocol.CLAIM_FIRST, true),
    SINGLE_TRANSACTION(Protocol.SINGLE_TRANSACTION, false),
    SINGLE_TRANSACTION_PLANNED(Protocol.SINGLE_TRANSACTION, true),
    RECORD_LAST(Protocol.SINGLE_TRANSACTION, false),
    EXTERNAL(Protocol.EXTERNAL, false),
    EXTERNAL_PLANNED(Protocol.EXTERNAL, true),
    EXTERNAL_THEN(Protocol.EXTERNAL_THEN, false);

    final Protocol protocol;
    final boolean planned;

    ProtocolVariant(Protocol protocol, boolean planned) {
        this.protocol = protocol;
        this.planned = planned;
    }

    boolean isExternal() {
        return protocol.isExternal();
    }

    boolean followsUp() {
        return protocol.owesFollowUp();
    }

    boolean recordsLast() {
        return this == RECORD_LAST;
    }

    boolean isSingle() {
        return protocol == Protocol.SINGLE_TRANSACTION;
    }

    /** For example: single transaction with a plan. */
    String words() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ').replace(" planned", " with a plan");
    }
}
