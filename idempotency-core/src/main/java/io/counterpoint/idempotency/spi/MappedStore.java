package io.counterpoint.idempotency.spi;

import io.counterpoint.idempotency.IdempotencyKey;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * A store whose handle is exposed as another type. Of everything it forwards, only the scope of the work has a handle.
 */
final class MappedStore<C, D> extends ForwardingStore<D> {

    private final IdempotencyStore<C> real;
    private final Function<? super C, ? extends D> view;

    @SuppressWarnings("unchecked") // decorate changes the type of its sessions
    MappedStore(IdempotencyStore<C> real, Function<? super C, ? extends D> view) {
        super((IdempotencyStore<D>) real);
        this.real = real;
        this.view = view;
    }

    @Override
    protected Session<D> decorate(Session<D> opened) {
        @SuppressWarnings("unchecked") // it is a session of the other store
        Session<C> ofOther = (Session<C>) opened;
        return new ForwardingSession<>(opened) {
            @Override
            public <T> T inTransaction(BiFunction<? super RecordSteps, ? super WorkScope<D>, ? extends T> body) {
                return ofOther.inTransaction((steps, scope) -> body.apply(steps, scope.mapped(view)));
            }
        };
    }

    @Override
    public IdempotencyStore<D> storeFor(IdempotencyKey key) {
        IdempotencyStore<C> one = real.storeFor(key);
        return one == real ? this : new MappedStore<>(one, view);
    }
}
