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

    private Array driver() {
        return guard.gate().pass(delegate);
    }

    Array delegate() {
        return delegate;
    }

    @Override
    public String getBaseTypeName() throws SQLException {
        return driver().getBaseTypeName();
    }

    @Override
    public int getBaseType() throws SQLException {
        return driver().getBaseType();
    }

    @Override
    public @Nullable Object getArray() throws SQLException {
        return guard.value(driver().getArray());
    }

    @Override
    public @Nullable Object getArray(Map<String, Class<?>> map) throws SQLException {
        return guard.value(driver().getArray(map));
    }

    @Override
    public @Nullable Object getArray(long index, int count) throws SQLException {
        return guard.value(driver().getArray(index, count));
    }

    @Override
    public @Nullable Object getArray(long index, int count, Map<String, Class<?>> map) throws SQLException {
        return guard.value(driver().getArray(index, count, map));
    }

    @Override
    public @Nullable ResultSet getResultSet() throws SQLException {
        return guard.result(driver().getResultSet(), null);
    }

    @Override
    public @Nullable ResultSet getResultSet(Map<String, Class<?>> map) throws SQLException {
        return guard.result(driver().getResultSet(map), null);
    }

    @Override
    public @Nullable ResultSet getResultSet(long index, int count) throws SQLException {
        return guard.result(driver().getResultSet(index, count), null);
    }

    @Override
    public @Nullable ResultSet getResultSet(long index, int count, Map<String, Class<?>> map) throws SQLException {
        return guard.result(driver().getResultSet(index, count, map), null);
    }

    @Override
    public void free() throws SQLException {
        driver().free();
    }
}
