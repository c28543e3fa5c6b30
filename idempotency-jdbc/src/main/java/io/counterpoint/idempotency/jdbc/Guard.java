package io.counterpoint.idempotency.jdbc;

import java.sql.Array;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.Ref;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.sql.Struct;
import java.sql.Wrapper;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Wraps what a driver returns, and unwraps what a driver is given: nothing reachable from a guarded connection leads to
 * the driver's own. Savepoints, large objects, XML, row ids and the descriptions of columns and parameters lead nowhere
 * and stay as they are. Objects of JDBC that are not listed here are refused.
 */
final class Guard {

    private final Connection connection;
    private final Gate gate = new Gate();
    private boolean executed;
    private boolean passed;

    Guard(Connection connection) {
        this.connection = connection;
    }

    /** The guarded connection. */
    Connection connection() {
        return connection;
    }

    Gate gate() {
        return gate;
    }

    /** Whether the database has answered any statement of domain code without an error. */
    boolean hasExecuted() {
        return executed;
    }

    /** The same, or that domain code has got an object of the driver's own, whose statements nothing counts. */
    boolean mayHaveExecuted() {
        return executed || passed;
    }

    <T> T pass(T driversOwn) {
        passed = true;
        return driversOwn;
    }

    int answered(int count) {
        executed = true;
        return count;
    }

    long answered(long count) {
        executed = true;
        return count;
    }

    boolean answered(boolean hasRows) {
        executed = true;
        return hasRows;
    }

    <T> T answered(T rowsOrCounts) {
        executed = true;
        return rowsOrCounts;
    }

    Statement guarded(Statement bare) {
        return new GuardedStatement<>(this, bare);
    }

    PreparedStatement guarded(PreparedStatement bare) {
        return new GuardedPreparedStatement<>(this, bare);
    }

    CallableStatement guarded(CallableStatement bare) {
        return new GuardedCallableStatement(this, bare);
    }

    DatabaseMetaData guarded(DatabaseMetaData bare) {
        return new GuardedMetaData(this, bare);
    }

    /** {@code statement} is the guarded one that made the result; null if the driver made it by itself. */
    @Nullable
    ResultSet result(@Nullable ResultSet bare, @Nullable Statement statement) {
        return bare == null ? null : new GuardedResultSet(this, bare, statement);
    }

    @Nullable
    Array array(@Nullable Array bare) {
        return bare == null ? null : new GuardedArray(this, bare);
    }

    /** The statement of a result: the guarded one that made it, else the driver's, guarded. */
    @Nullable
    Statement statementOf(@Nullable Statement bare, @Nullable Statement made) {
        return made != null || bare == null ? made : anyStatement(bare);
    }

    private Statement anyStatement(Statement bare) {
        if (bare instanceof CallableStatement call) {
            return guarded(call);
        }
        return bare instanceof PreparedStatement prepared ? guarded(prepared) : guarded(bare);
    }

    @Nullable
    Object value(@Nullable Object bare) throws SQLException {
        if (bare instanceof Object[] elements) {
            return values(elements);
        }
        if (bare instanceof Array array) {
            return array(array);
        }
        if (bare instanceof ResultSet result) {
            return result(result, null);
        }
        if (bare instanceof Connection) {
            return connection;
        }
        if (bare instanceof Statement statement) {
            return anyStatement(statement);
        }
        if (bare instanceof DatabaseMetaData metaData) {
            return guarded(metaData);
        }
        if (bare instanceof Wrapper || bare instanceof Struct || bare instanceof Ref) {
            throw unlisted("read a " + bare.getClass().getSimpleName());
        }
        return bare;
    }

    private Object[] values(Object[] elements) throws SQLException {
        Object[] values = elements;
        for (int i = 0; i < elements.length; i++) {
            values = replaced(values, elements, i, value(elements[i]));
        }
        return values;
    }

    /** A value that was asked for by its class. A class of the driver's own cannot be given where values are wrapped. */
    <T> @Nullable T value(@Nullable Object bare, Class<T> type) throws SQLException {
        Object value = value(bare);
        if (value != bare && !type.isInstance(value)) {
            throw unlisted("read a " + type.getSimpleName());
        }
        @SuppressWarnings("unchecked") // The driver was asked for this class, which may be that of a primitive.
        T typed = (T) value;
        return typed;
    }

    static Array bare(Array array) {
        return array instanceof GuardedArray guarded ? guarded.delegate() : array;
    }

    static Object bare(Object value) {
        if (value instanceof Array array) {
            return bare(array);
        }
        if (value instanceof Guarded<?> guarded) {
            return guarded.delegate;
        }
        return value instanceof Object[] elements ? bare(elements) : value;
    }

    static Object[] bare(Object[] elements) {
        Object[] values = elements;
        for (int i = 0; values != null && i < elements.length; i++) {
            values = replaced(values, elements, i, bare(elements[i]));
        }
        return values;
    }

    /** The same array as long as nothing differs: drivers look at its class. */
    private static Object[] replaced(Object[] values, Object[] elements, int i, @Nullable Object value) {
        if (value == elements[i]) {
            return values;
        }
        Object[] copy = values == elements ? Arrays.copyOf(values, values.length, Object[].class) : values;
        copy[i] = value;
        return copy;
    }

    /** For what no list of this library names. */
    static SQLException unlisted(String what) {
        return new SQLFeatureNotSupportedException(
                "Refused to " + what + ": this transaction belongs to an idempotent operation, and it is not known that"
                        + " this leaves the transaction open. Use another method, or unwrap the driver's own object.",
                "0A000");
    }
}
