package io.counterpoint.idempotency.admin;

/** Where resolutions are written down. An entry without an answer is of a resolution whose end is not known. */
public interface AuditTrail {

    /**
     * Writes a resolution down before it is made. What this throws prevents the resolution.
     *
     * @param resolution what the operator states
     */
    void asked(Resolution resolution);

    /**
     * Writes the answer down.
     *
     * @param answered the resolution that was {@link #asked}, and what retries get from now on
     */
    void answered(Resolution.Answered answered);
}
