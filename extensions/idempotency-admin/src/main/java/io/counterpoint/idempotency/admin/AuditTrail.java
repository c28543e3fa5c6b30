package io.counterpoint.idempotency.admin;

/** Records resolutions. An entry without an outcome belongs to a resolution whose outcome is unknown. */
public interface AuditTrail {

    /**
     * Records a resolution before it is made. An exception prevents the resolution.
     *
     * @param resolution what the operator states
     */
    void asked(Resolution resolution);

    /**
     * Records the outcome.
     *
     * @param answered the resolution that was passed to {@link #asked}, and what retries get from now on
     */
    void answered(Resolution.Answered answered);
}
