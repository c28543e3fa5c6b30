package io.counterpoint.idempotency.jdbc.calls;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** Stands before a driver, counts every call of java.sql, and does one of them wrong. For one thread. */
final class FailingDriver {

    private final StrictPool pool;
    private List<JdbcCall> calls;
    private List<Place> places;
    private final List<Wrapped> objects = new ArrayList<>();
    private Fault fault;
    private int at;
    private JdbcCall struck;
    private Wire struckOn;
    private Wrapped struckObject;
    private boolean usedAgain;

    FailingDriver(StrictPool pool) {
        this.pool = pool;
    }

    DataSource dataSource() {
        return (DataSource) Proxy.newProxyInstance(
                FailingDriver.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, args) -> {
                    if (!method.getName().equals("getConnection")) {
                        return ofObject(proxy, method, args);
                    }
                    return call(
                            new Wrapped(null, null, ""),
                            new JdbcCall("DataSource", "getConnection", false),
                            () -> wrap(pool.borrow(), Connection.class, null, ""));
                });
    }

    /** From now on the call of that number fails, once; zero: none. */
    void arm(Fault newFault, int number) {
        calls = new ArrayList<>();
        fault = newFault;
        at = number;
        struck = null;
        struckObject = null;
        usedAgain = false;
    }

    /** From now on all goes well, and is written down. */
    void record() {
        arm(Fault.BUG_BEFORE, 0);
        places = new ArrayList<>();
    }

    /** From now on nothing is written down. Returns what was. */
    List<Place> recorded() {
        disarm();
        List<Place> made = places;
        places = null;
        objects.clear();
        return made;
    }

    /** From now on all goes well. Returns the calls since it was armed. */
    List<JdbcCall> disarm() {
        List<JdbcCall> made = calls;
        calls = null;
        return made;
    }

    /** The call that failed, if it has come to that. */
    JdbcCall struck() {
        return struck;
    }

    /** Whether another caller may get the connection on which a call has failed. */
    boolean isStruckConnectionOpen() throws SQLException {
        return struckOn.isOpen();
    }

    /** Whether a statement or its rows were used of which a call had failed, so that it mattered what that call had done. */
    boolean isStruckObjectUsedAgain() {
        return usedAgain;
    }

    private Object wrap(Object target, Class<?> type, Connection connection, String sql) {
        Wrapped wrapped = new Wrapped(target, connection, sql);
        return Proxy.newProxyInstance(
                FailingDriver.class.getClassLoader(), new Class<?>[] {type, Wrapper.class}, wrapped::invoke);
    }

    /** What stands before an object of the driver. */
    interface Wrapper {
        Object target();
    }

    private Object call(Wrapped on, JdbcCall call, Doing doing) throws Throwable {
        if (calls == null) {
            return doing.run();
        }
        calls.add(call);
        if (places != null) {
            places.add(new Place(call, numberOf(on), Handlers.ofThisCall()));
        }
        if (calls.size() != at) {
            usedAgain |= on == struckObject && on.isOfStatement() && call.mayShow(struck);
            return doing.run();
        }
        struck = call;
        struckObject = on;
        struckOn = pool.wire();
        if (fault == Fault.INTERRUPTED) {
            try {
                return doing.run();
            } finally {
                // Also where the database has refused the call by itself.
                Thread.currentThread().interrupt();
            }
        }
        if (fault == Fault.WARNED) {
            Object done = doing.run();
            on.warning = new SQLWarning("injected", "01000");
            return done;
        }
        if (fault.isAfter()) {
            try {
                doing.run();
            } catch (SQLException refused) {
                // The database has refused the call by itself. The fault strikes while the driver reads that.
            }
        }
        throw thrown(on);
    }

    private int numberOf(Wrapped object) {
        if (!objects.contains(object)) {
            objects.add(object);
        }
        return objects.indexOf(object);
    }

    private Throwable thrown(Wrapped on) throws SQLException {
        return switch (fault) {
            case UNCLEAR_BEFORE, UNCLEAR_AFTER -> fault.unclear();
            case REFUSED_BEFORE, REFUSED_AFTER -> {
                on.refuse();
                yield new SQLException("injected", "40001");
            }
            case LOST_BEFORE, LOST_AFTER -> {
                pool.cut();
                yield new SQLException("injected", "08006");
            }
            case BUG_BEFORE, BUG_AFTER -> new InjectedException();
            case NO_MEMORY_BEFORE, NO_MEMORY_AFTER -> new OutOfMemoryError("injected");
            case NO_STACK_BEFORE, NO_STACK_AFTER -> new StackOverflowError("injected");
            case WARNED, INTERRUPTED -> throw new IllegalStateException(fault + " throws nothing.");
        };
    }

    private static Object ofObject(Object proxy, Method method, Object[] args) {
        return switch (method.getName()) {
            case "hashCode" -> System.identityHashCode(proxy);
            case "equals" -> proxy == args[0];
            default -> "a failing driver's object";
        };
    }

    private interface Doing {
        Object run() throws Throwable;
    }

    /** One object of the driver. */
    private final class Wrapped {
        private final Object target;
        private final Connection connection;
        private final String prepared;
        private final Wire wire = pool.wire();
        private SQLWarning warning;

        Wrapped(Object target, Connection connection, String prepared) {
            this.target = target;
            this.prepared = prepared;
            this.connection = target instanceof Connection own ? own : connection;
        }

        Object invoke(Object proxy, Method method, Object[] args) throws Throwable {
            if (method.getDeclaringClass() == Object.class) {
                return ofObject(proxy, method, args);
            }
            if (method.getDeclaringClass() == Wrapper.class) {
                return target;
            }
            String owner = method.getDeclaringClass().getSimpleName();
            return call(this, new JdbcCall(owner, method.getName(), isInTransaction(method, args)), () -> {
                Object result = result(method, args);
                Class<?> type = method.getReturnType();
                boolean wrapped = result != null
                        && type.isInterface()
                        && type.getPackageName().equals("java.sql");
                String sql = method.getName().startsWith("prepare") ? (String) args[0] : prepared;
                return wrapped ? wrap(result, type, connection, sql) : result;
            });
        }

        /** Whether it is a statement or its rows. */
        boolean isOfStatement() {
            return target instanceof Statement || target instanceof ResultSet;
        }

        private Object result(Method method, Object[] args) throws Throwable {
            if (warning != null && method.getName().equals("getWarnings")) {
                return warning;
            }
            if (method.getName().equals("clearWarnings")) {
                warning = null;
            }
            Object[] bare = args == null ? null : args.clone();
            for (int i = 0; bare != null && i < bare.length; i++) {
                bare[i] = bare[i] instanceof Wrapper wrapper ? wrapper.target() : bare[i];
            }
            try {
                if (target instanceof Statement) {
                    wire.requireOpen(method);
                }
                return method.invoke(target, bare);
            } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
            }
        }

        private boolean isInTransaction(Method method, Object[] args) throws SQLException {
            if (calls == null || !method.getName().startsWith("execute") || connection.isClosed()) {
                return false;
            }
            boolean ends = prepared.contains("COMMIT")
                    || (args != null && args[0] instanceof String sql && sql.contains("COMMIT"));
            return !ends && !connection.getAutoCommit();
        }

        /** The database has rolled back, and says so. */
        void refuse() throws SQLException {
            if (!connection.isClosed() && !connection.getAutoCommit()) {
                connection.rollback();
            }
        }
    }
}
