package io.counterpoint.idempotency.spring;

/** What joins the transactions of a {@link SpringIdempotencyStore}, besides plain JDBC. */
public abstract sealed class Participant permits JpaParticipant {

    Participant() {}
}
