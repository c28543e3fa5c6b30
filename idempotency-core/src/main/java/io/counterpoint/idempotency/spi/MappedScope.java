package io.counterpoint.idempotency.spi;

import java.util.function.Function;

/** A scope whose handle is seen through another type. */
record MappedScope<C, D>(WorkScope<C> scope, Function<? super C, ? extends D> view) implements WorkScope<D> {

    @Override
    public D handle() {
        return view.apply(scope.handle());
    }

    @Override
    public void beforeWork() {
        scope.beforeWork();
    }

    @Override
    public void beforeEncoding() {
        scope.beforeEncoding();
    }

    @Override
    public void beforeMark() {
        scope.beforeMark();
    }

    @Override
    public void afterEnd(End end) {
        scope.afterEnd(end);
    }
}
