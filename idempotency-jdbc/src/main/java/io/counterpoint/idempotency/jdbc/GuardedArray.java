package io.counterpoint.idempotency.jdbc;

import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An array of guarded work. Its elements are guarded as well. */
final class GuardedArray implements Array {

    private final Guard guard;
    private final Array delegate;

    GuardedArray(Guard guard, Array delegate) {
        this.guard = guard;
        this.delegate = delegate;
    }

    Array delegate() {
        return delegate;
    }

    @Override
    public String getBaseTypeName() throws SQLException {
        return delegate.getBaseTypeName();
    }

    @Override
    public int getBaseType() throws SQLException {
        return delegate.getBaseType();
    }

    @Override
    public @Nullable Object getArray() throws SQLException {
        return guard.value(delegate.getArray());
    }

    @Override
    public @Nullable Object getArray(Map<String, Class<?>> map) throws SQLException {
        return guard.value(delegate.getArray(map));
    }

    @Override
    public @Nullable Object getArray(long index, int count) throws SQLException {
        return guard.value(delegate.getArray(index, count));
    }

    @Override
    public @Nullable Object getArray(long index, int count, Map<String, Class<?>> map) throws SQLException {
        return guard.value(delegate.getArray(index, count, map));
    }

    @Override
    public @Nullable ResultSet getResultSet() throws SQLException {
        return guard.result(delegate.getResultSet(), null);
    }

    @Override
    public @Nullable ResultSet getResultSet(Map<String, Class<?>> map) throws SQLException {
        return guard.result(delegate.getResultSet(map), null);
    }

    @Override
    public @Nullable ResultSet getResultSet(long index, int count) throws SQLException {
        return guard.result(delegate.getResultSet(index, count), null);
    }

    @Override
    public @Nullable ResultSet getResultSet(long index, int count, Map<String, Class<?>> map) throws SQLException {
        return guard.result(delegate.getResultSet(index, count, map), null);
    }

    @Override
    public void free() throws SQLException {
        delegate.free();
    }
}
