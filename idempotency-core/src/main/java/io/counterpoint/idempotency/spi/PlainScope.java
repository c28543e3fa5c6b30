package io.counterpoint.idempotency.spi;

import java.util.function.Supplier;

/** A scope in which no framework takes part. */
record PlainScope<C>(Supplier<? extends C> supplier) implements WorkScope<C> {

    @Override
    public C handle() {
        return supplier.get();
    }

    @Override
    public void beforeWork() {}

    @Override
    public void beforeEncoding() {}

    @Override
    public void beforeMark() {}

    @Override
    public void afterEnd(End end) {}
}
