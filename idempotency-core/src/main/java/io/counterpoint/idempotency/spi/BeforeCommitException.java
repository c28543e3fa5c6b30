package io.counterpoint.idempotency.spi;

import java.util.Objects;

/**
 * Thrown by {@link RecordSteps#commitWith} if a participant in the transaction, such as a callback of a transaction
 * manager, threw before the last step was sent. Nothing is committed, and the cause counts as the work's own exception.
 */
public final class BeforeCommitException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception with a participant's exception as its cause.
     *
     * @param thrown the participant's exception
     */
    public BeforeCommitException(RuntimeException thrown) {
        super(
                "A participant in the transaction threw before the transaction's last step was sent",
                thrown,
                true,
                false);
    }

    /**
     * What was thrown.
     *
     * @return the same object
     */
    public RuntimeException thrown() {
        return (RuntimeException) Objects.requireNonNull(getCause());
    }
}
