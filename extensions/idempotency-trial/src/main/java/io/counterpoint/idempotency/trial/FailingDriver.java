package io.counterpoint.idempotency.trial;

import io.counterpoint.idempotency.trial.StrictPool.Lease;
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
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Wraps a driver, counts every java.sql call of the thread that has armed it, and makes one of them fail. For all other
 * threads it behaves like the driver.
 */
final class FailingDriver {

    /** The SQLSTATE of exceptions while the database is unreachable. */
    static final String AWAY = "08001";

    private final StrictPool pool;
    private final @Nullable DataSource plain;
    private volatile @Nullable Armed armed;
    private Armed last = new Armed(null, 0, FailingDriver::nothing, FailingDriver::nothing);

    FailingDriver(StrictPool pool) {
        this(pool, null);
    }

    private FailingDriver(StrictPool pool, @Nullable DataSource plain) {
        this.pool = pool;
        this.plain = plain;
    }

    /** Returns the failing driver of this data source if {@link #dataSource} created it, otherwise a new one. */
    static FailingDriver before(DataSource source) {
        return source instanceof Wrapper wrapper && wrapper.target() instanceof FailingDriver known
                ? known
                : new FailingDriver(StrictPool.ofAny(new UserSessions(source)), source);
    }

    /** The data source that does not fail. */
    DataSource plain() {
        return Objects.requireNonNull(plain);
    }

    StrictPool pool() {
        return pool;
    }

    /** The calls of a thread, and the fault for one of them. */
    private static final class Armed {
        private final Thread caller = Thread.currentThread();
        private final List<Place> places = new ArrayList<>();
        private final List<Wrapped> objects = new ArrayList<>();
        private final @Nullable Fault fault;
        private final int at;
        private final Runnable before;
        private final Runnable after;
        private @Nullable Place struck;
        private @Nullable Wrapped struckObject;
        private boolean usedAgain;
        private boolean away;
        private boolean tellsApart;
        private @Nullable String struckCaller;

        Armed(@Nullable Fault fault, int at, Runnable before, Runnable after) {
            this.fault = fault;
            this.at = at;
            this.before = before;
            this.after = after;
        }

        int numberOf(Wrapped object) {
            if (!objects.contains(object)) {
                objects.add(object);
            }
            return objects.indexOf(object);
        }
    }

    /** Delegates everything else to the data source that does not fail. */
    DataSource dataSource() {
        return (DataSource) Proxy.newProxyInstance(
                FailingDriver.class.getClassLoader(),
                new Class<?>[] {DataSource.class, Wrapper.class},
                (proxy, method, args) -> {
                    if (method.getName().equals("getConnection")) {
                        JdbcCall call = new JdbcCall("DataSource", "getConnection", false);
                        return call(new Wrapped(plain, null, "", null), call, "", this::lent);
                    }
                    if (method.getDeclaringClass() == Wrapper.class) {
                        return this;
                    }
                    return plain == null
                            ? ofObject(proxy, method, args)
                            : new Wrapped(plain, null, "", null).invoke(proxy, method, args);
                });
    }

    static void nothing() {}

    private Object lent() throws SQLException {
        Armed now = armed;
        if (now != null && now.away && now.struck != null && now.caller == Thread.currentThread()) {
            throw new SQLException("injected", AWAY);
        }
        Lease lease = pool.lend();
        return wrap(lease.connection(), Connection.class, null, "", lease.wire());
    }

    /** Arms the driver: the call with this number fails once; zero for none. */
    void arm(Fault fault, int number) {
        arm(fault, number, FailingDriver::nothing, FailingDriver::nothing);
    }

    /** Does the same, and runs these actions before and after that call. */
    void arm(@Nullable Fault fault, int number, Runnable before, Runnable after) {
        last = new Armed(fault, number, before, after);
        armed = last;
    }

    /**
     * Does the same without the actions, and makes the database unreachable from that call on: this thread gets no
     * connection.
     */
    void armAway(Fault fault, int number) {
        arm(fault, number);
        last.away = true;
    }

    /** Starts recording calls without faults, with the details that distinguish them. */
    void record() {
        last = new Armed(null, 0, FailingDriver::nothing, FailingDriver::nothing);
        last.tellsApart = true;
        armed = last;
    }

    /** Stops recording and returns the recorded calls. */
    List<Place> recorded() {
        armed = null;
        return last.places;
    }

    /** Disarms the driver and returns the calls since it was armed. */
    List<JdbcCall> disarm() {
        armed = null;
        return last.places.stream().map(Place::call).toList();
    }

    /** The call that failed, if it was reached. */
    @Nullable
    Place struck() {
        return last.struck;
    }

    /** The class that made the failed call, ignoring this package and the JDK. */
    String struckCaller() {
        return String.valueOf(last.struckCaller);
    }

    private static String callerOfDriver() {
        String here = FailingDriver.class.getPackageName();
        return StackWalker.getInstance()
                .walk(frames -> frames.map(StackWalker.StackFrame::getClassName)
                        .filter(name -> !name.startsWith(here + '.')
                                && !name.startsWith("java.")
                                && !name.startsWith("jdk.")
                                && !name.startsWith("com.sun."))
                        .findFirst())
                .orElse("");
    }

    /** Whether another caller may get the connection on which a call failed. */
    boolean isStruckConnectionOpen() throws SQLException {
        Wire wire = last.struckObject == null ? null : last.struckObject.wire;
        return wire != null && wire.isOpen();
    }

    /**
     * Whether a statement or its rows were used after one of their calls failed, so that it mattered what that call had
     * done.
     */
    boolean isStruckObjectUsedAgain() {
        return last.usedAgain;
    }

    private Object wrap(
            Object target, Class<?> type, @Nullable Connection connection, String sql, @Nullable Wire wire) {
        Wrapped wrapped = new Wrapped(target, connection, sql, wire);
        return Proxy.newProxyInstance(
                FailingDriver.class.getClassLoader(), new Class<?>[] {type, Wrapper.class}, wrapped::invoke);
    }

    /** A wrapper of a driver object. */
    interface Wrapper {
        Object target();
    }

    private @Nullable Object call(Wrapped on, JdbcCall call, String sql, Doing doing) throws Throwable {
        Armed now = armed;
        if (now == null || now.caller != Thread.currentThread()) {
            return doing.run();
        }
        Place place = now.tellsApart
                ? new Place(call, sql, now.numberOf(on), Handlers.ofThisCall())
                : new Place(call, sql, 0, List.of());
        now.places.add(place);
        if (now.places.size() == now.at) {
            now.struck = place;
            now.struckObject = on;
            now.struckCaller = callerOfDriver();
            return strike(now, on, doing);
        }
        now.usedAgain |=
                now.struck != null && on == now.struckObject && on.isOfStatement() && call.mayShow(now.struck.call());
        return doing.run();
    }

    private @Nullable Object strike(Armed now, Wrapped on, Doing doing) throws Throwable {
        now.before.run();
        if (now.fault == null || !now.fault.isThrown()) {
            try {
                Object done = doing.run();
                on.warning = now.fault == Fault.WARNED ? new SQLWarning("injected", "01000") : on.warning;
                return done;
            } finally {
                // Runs even if the database itself rejected the call.
                now.after.run();
                if (now.fault == Fault.INTERRUPTED) {
                    Thread.currentThread().interrupt();
                }
            }
        }
        if (now.fault.isAfter()) {
            try {
                doing.run();
            } catch (SQLException refused) {
                // The database itself rejected the call. The fault occurs while the driver reads the error.
            }
        }
        throw thrown(now.fault, on);
    }

    private Throwable thrown(Fault fault, Wrapped on) throws SQLException {
        return switch (fault) {
            case UNCLEAR_BEFORE, UNCLEAR_AFTER -> fault.unclear();
            case REFUSED_BEFORE, REFUSED_AFTER -> {
                on.refuse();
                yield new SQLException("injected", "40001");
            }
            case LOST_BEFORE, LOST_AFTER -> {
                pool.cut(on.wire);
                yield new SQLException("injected", "08006");
            }
            case BUG_BEFORE, BUG_AFTER -> new InjectedException();
            case NO_MEMORY_BEFORE, NO_MEMORY_AFTER -> new OutOfMemoryError("injected");
            case NO_STACK_BEFORE, NO_STACK_AFTER -> new StackOverflowError("injected");
            case WARNED, INTERRUPTED -> throw new IllegalStateException(fault + " throws nothing.");
        };
    }

    private static Object ofObject(Object proxy, Method method, Object @Nullable [] args) {
        return switch (method.getName()) {
            case "hashCode" -> System.identityHashCode(proxy);
            case "equals" -> args != null && proxy == args[0];
            default -> "a failing driver's object";
        };
    }

    private interface Doing {
        @Nullable
        Object run() throws Throwable;
    }

    /** A driver object. */
    private final class Wrapped {
        private final @Nullable Object target;
        private final @Nullable Connection connection;
        private final String prepared;
        private final @Nullable Wire wire;
        private @Nullable SQLWarning warning;

        Wrapped(@Nullable Object target, @Nullable Connection connection, String prepared, @Nullable Wire wire) {
            this.target = target;
            this.prepared = prepared;
            this.connection = target instanceof Connection own ? own : connection;
            this.wire = wire;
        }

        @Nullable
        Object invoke(Object proxy, Method method, Object @Nullable [] args) throws Throwable {
            if (method.getDeclaringClass() == Object.class) {
                return ofObject(proxy, method, args);
            }
            if (method.getDeclaringClass() == Wrapper.class) {
                return target;
            }
            if (wire == null) {
                return result(method, args);
            }
            String owner = method.getDeclaringClass().getSimpleName();
            String sql = sqlOf(method, args);
            return call(this, new JdbcCall(owner, method.getName(), isInTransaction(method, sql)), sql, () -> {
                Object result = result(method, args);
                Class<?> type = method.getReturnType();
                boolean isOfDriver = type.isInterface() && type.getPackageName().equals("java.sql");
                return result != null && isOfDriver ? wrap(result, type, connection, sql, wire) : result;
            });
        }

        private String sqlOf(Method method, Object @Nullable [] args) {
            boolean names =
                    method.getName().startsWith("prepare") || method.getName().startsWith("execute");
            return names && args != null && args[0] instanceof String sql ? sql : prepared;
        }

        /** Whether it is a statement or its rows. */
        boolean isOfStatement() {
            return target instanceof Statement || target instanceof ResultSet;
        }

        private @Nullable Object result(Method method, Object @Nullable [] args) throws Throwable {
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
                if (wire != null && target instanceof Statement) {
                    wire.requireOpen(method);
                }
                Object result = method.invoke(target, bare);
                if (wire != null && target instanceof Statement) {
                    wire.called(method, sqlOf(method, args));
                }
                return result;
            } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
            }
        }

        private boolean isInTransaction(Method method, String sql) throws SQLException {
            return armed != null
                    && method.getName().startsWith("execute")
                    && connection != null
                    && !connection.isClosed()
                    && !sql.contains("COMMIT")
                    && !connection.getAutoCommit();
        }

        /** Makes the database roll back and report it. */
        void refuse() throws SQLException {
            if (connection != null && !connection.isClosed() && !connection.getAutoCommit()) {
                connection.rollback();
            }
        }
    }
}
