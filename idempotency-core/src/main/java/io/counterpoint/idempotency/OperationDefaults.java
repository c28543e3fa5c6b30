package io.counterpoint.idempotency;

/** The defaults of the operations of one {@link Idempotency}: {@link Idempotency.Builder#defaults}. */
public final class OperationDefaults extends OperationBuilder<OperationDefaults> {

    OperationDefaults(CommonOptions options) {
        super(options);
    }
}
