package io.counterpoint.idempotency;

/** What the operations over one {@link Idempotency} have unless they say otherwise: {@link Idempotency.Builder#defaults}. */
public final class OperationDefaults extends OperationBuilder<OperationDefaults> {

    OperationDefaults(CommonOptions options) {
        super(options);
    }

    @Override
    OperationDefaults self() {
        return this;
    }
}
