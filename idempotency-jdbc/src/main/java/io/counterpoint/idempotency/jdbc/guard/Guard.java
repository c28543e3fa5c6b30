package io.counterpoint.idempotency.jdbc.guard;

import java.io.InputStream;
import java.io.Reader;
import java.sql.Array;
import java.sql.Blob;
import java.sql.CallableStatement;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.NClob;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.Ref;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLXML;
import java.sql.Statement;
import java.sql.Struct;
import java.sql.Wrapper;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Wraps what a driver returns and unwraps what is passed to a driver, so that no object reachable from a guarded
 * connection leads to the driver's own. Savepoints and row ids lead nowhere and are passed through. JDBC objects that
 * are not listed here are rejected.
 */
final class Guard {

    /** What a driver may return where only {@link Object} is declared; the first matching kind applies. */
    private static final List<Kind<?>> KINDS = List.of(
            new Kind<>(Array.class, GuardedArray::new),
            new Kind<>(ResultSet.class, (guard, bare) -> new GuardedResultSet(guard, bare, null)),
            new Kind<>(Connection.class, (guard, bare) -> guard.connection()),
            new Kind<>(CallableStatement.class, GuardedCallableStatement::new),
            new Kind<>(PreparedStatement.class, GuardedPreparedStatement::new),
            new Kind<>(Statement.class, GuardedStatement::new),
            new Kind<>(DatabaseMetaData.class, GuardedDatabaseMetaData::new),
            new Kind<>(ResultSetMetaData.class, GuardedResultSetMetaData::new),
            new Kind<>(ParameterMetaData.class, GuardedParameterMetaData::new),
            new Kind<>(Blob.class, GuardedBlob::new),
            new Kind<>(NClob.class, GuardedNClob::new),
            new Kind<>(Clob.class, GuardedClob::new),
            new Kind<>(SQLXML.class, GuardedSQLXML::new),
            new Kind<>(InputStream.class, GuardedInputStream::new),
            new Kind<>(Reader.class, GuardedReader::new));

    private record Kind<D>(Class<D> type, BiFunction<Guard, D, ?> wrapping) {
        Object wrapped(Guard guard, Object bare) {
            return wrapping.apply(guard, type.cast(bare));
        }
    }

    private final GuardedConnection connection;
    private final Gate gate;

    Guard(GuardedConnection connection) {
        this.connection = connection;
        this.gate = new Gate(connection);
    }

    /** The guarded connection. */
    Connection connection() {
        return connection;
    }

    Gate gate() {
        return gate;
    }

    /** Records that the database has executed a statement without an error. */
    void answered() {
        connection.executed = true;
    }

    /** Rejects SQL text that is certain to end the transaction. */
    void requireNoEnd(@Nullable String sql) throws SQLException {
        connection.requireNoEnd(sql);
    }

    <T> T pass(T driversOwn) {
        connection.passed = true;
        return driversOwn;
    }

    <D, G> @Nullable G wrapped(@Nullable D bare, BiFunction<Guard, D, G> wrapping) {
        return bare == null ? null : wrapping.apply(this, bare);
    }

    /**
     * {@code statement} is the guarded statement that produced the result; null if the driver produced it by itself.
     */
    @Nullable
    ResultSet result(@Nullable ResultSet bare, @Nullable Statement statement) {
        return bare == null ? null : new GuardedResultSet(this, bare, statement);
    }

    /** The statement of a result: the guarded one that produced it, or else the driver's, guarded. */
    @Nullable
    Statement statementOf(@Nullable Statement bare, @Nullable Statement made) throws SQLException {
        return made != null ? made : (Statement) value(bare);
    }

    @Nullable
    Object value(@Nullable Object bare) throws SQLException {
        if (bare instanceof Object[] elements) {
            return replaced(elements, this::value);
        }
        for (Kind<?> kind : KINDS) {
            if (kind.type().isInstance(bare)) {
                return kind.wrapped(this, bare);
            }
        }
        if (bare instanceof Wrapper || bare instanceof Struct || bare instanceof Ref) {
            throw unlisted("read a " + bare.getClass().getSimpleName());
        }
        return bare;
    }

    /** A value requested by class. A driver class cannot be returned where values are wrapped. */
    <T> @Nullable T value(@Nullable Object bare, Class<T> type) throws SQLException {
        Object value = value(bare);
        if (value != bare && !type.isInstance(value)) {
            throw unlisted("read a " + type.getSimpleName());
        }
        @SuppressWarnings("unchecked") // the driver was asked for this class, which may be a primitive class
        T typed = (T) value;
        return typed;
    }

    /** Returns what is passed to the driver: its own object, if the work has a guarded one. */
    static <T> @Nullable T bare(@Nullable T value) {
        Object bare = value;
        if (value instanceof Guarded<?> guarded) {
            bare = guarded.delegate;
        } else if (value instanceof Object[] elements) {
            bare = replaced(elements, Guard::bare);
        }
        @SuppressWarnings("unchecked") // a guarded object and its delegate have the same JDBC type
        T typed = (T) bare;
        return typed;
    }

    private interface Replacement<X extends Exception> {
        @Nullable
        Object of(@Nullable Object element) throws X;
    }

    /** The same array unless an element differs, because drivers inspect its class. */
    private static <X extends Exception> Object[] replaced(Object[] elements, Replacement<X> replacement) throws X {
        Object[] values = elements;
        for (int i = 0; i < elements.length; i++) {
            Object value = replacement.of(elements[i]);
            if (value != elements[i]) {
                values = values == elements ? Arrays.copyOf(values, values.length, Object[].class) : values;
                values[i] = value;
            }
        }
        return values;
    }

    /** The exception for anything that this library does not list. */
    static SQLException unlisted(String what) {
        return new SQLFeatureNotSupportedException(
                "Refused to " + what + ": this transaction belongs to an idempotent operation, and the call is not"
                        + " known to leave it open. Use another method, or unwrap the driver's own object.",
                "0A000");
    }
}
