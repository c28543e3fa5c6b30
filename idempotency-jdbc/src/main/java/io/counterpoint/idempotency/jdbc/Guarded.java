package io.counterpoint.idempotency.jdbc;

import java.sql.SQLException;
import java.sql.Wrapper;

/** An object of JDBC that belongs to a guarded connection. It unwraps to itself, or to a class of the driver's own. */
abstract class Guarded<D extends Wrapper> implements Wrapper {

    final Guard guard;
    final D delegate;

    Guarded(Guard guard, D delegate) {
        this.guard = guard;
        this.delegate = delegate;
    }

    /** The driver's object, as the calling thread may use it. */
    final D driver() {
        return guard.gate().pass(delegate);
    }

    @Override
    public final <T> T unwrap(Class<T> type) throws SQLException {
        return type.isInstance(this) ? type.cast(this) : guard.pass(driver().unwrap(type));
    }

    @Override
    public final boolean isWrapperFor(Class<?> type) throws SQLException {
        return type.isInstance(this) || driver().isWrapperFor(type);
    }
}
