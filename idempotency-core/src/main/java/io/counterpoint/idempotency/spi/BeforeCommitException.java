package io.counterpoint.idempotency.spi;

import java.util.Objects;

/**
 * Thrown by {@link RecordSteps#commitWith} if a participant in the transaction, such as a callback of a transaction
 * manager, threw before the last step was sent. Nothing is committed, and the exception counts as the work's own.
 */
public final class BeforeCommitException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Wraps the exception of a participant.
     *
     * @param thrown what it threw
     */
    public BeforeCommitException(RuntimeException thrown) {
        super(
                "A participant in the transaction threw before the transaction's last step was sent",
                thrown,
                true,
                false);
    }

    /**
     * Returns the exception of the participant.
     *
     * @return the same object
     */
    public RuntimeException thrown() {
        return (RuntimeException) Objects.requireNonNull(getCause());
    }
}
