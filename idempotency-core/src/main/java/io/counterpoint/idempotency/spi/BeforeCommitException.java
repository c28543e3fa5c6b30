package io.counterpoint.idempotency.spi;

import java.util.Objects;

/**
 * Thrown by {@link RecordSteps#commitWith} where something that takes part in the transaction, such as a callback of a
 * transaction manager, has thrown before the last step was sent. Nothing is committed, and what was thrown counts as the
 * work's own exception.
 */
public final class BeforeCommitException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * An exception of something that takes part.
     *
     * @param thrown what it has thrown
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
