package io.counterpoint.idempotency.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/**
 * A data source with one real connection, whose driver fails where a test says so. No pool stands between: {@code close}
 * gives the connection back as it is. For one thread.
 */
final class FaultyDriver implements AutoCloseable {

    /** What the driver does. */
    interface Doing {
        Object run() throws Throwable;
    }

    /** What happens instead. */
    interface Strike {
        Object at(Doing doing) throws Throwable;
    }

    private final TestDatabase database;
    private final boolean autoCommit;
    private final List<String> calls = new ArrayList<>();
    private final Map<String, Deque<Strike>> strikes = new LinkedHashMap<>();
    private Connection physical;
    private SQLWarning warning;

    FaultyDriver(TestDatabase database, boolean autoCommit) {
        this.database = database;
        this.autoCommit = autoCommit;
    }

    static Strike before(Throwable thrown) {
        return doing -> {
            throw thrown;
        };
    }

    static Strike after(Throwable thrown) {
        return doing -> {
            doing.run();
            throw thrown;
        };
    }

    /** The call is answered with a warning. */
    Strike warning() {
        return doing -> {
            Object done = doing.run();
            warning = new SQLWarning("injected", "01000");
            return done;
        };
    }

    /** Strikes once for each strike, at calls whose name or SQL contains that part. */
    FaultyDriver at(String part, Strike... each) {
        strikes.computeIfAbsent(part, unused -> new ArrayDeque<>()).addAll(List.of(each));
        return this;
    }

    /** How many calls have had that part in their name or SQL. */
    long calls(String part) {
        return calls.stream().filter(call -> call.contains(part)).count();
    }

    /** The connection that is lent, or was. */
    Connection physical() {
        return physical;
    }

    DataSource dataSource() {
        return proxy(DataSource.class, (method, args) -> {
            if (!method.getName().equals("getConnection")) {
                return method.getReturnType() == int.class ? 0 : null;
            }
            if (physical == null || physical.isClosed()) {
                physical = database.connect();
                physical.setAutoCommit(autoCommit);
            }
            Connection connection = physical;
            return struck("DataSource." + method.getName(), () -> wrapped(connection, Connection.class, ""));
        });
    }

    private interface Answers {
        Object to(Method method, Object[] args) throws Throwable;
    }

    private static <T> T proxy(Class<T> type, Answers answers) {
        return type.cast(Proxy.newProxyInstance(
                FaultyDriver.class.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, args) -> answers.to(method, args)));
    }

    private <T> T wrapped(Object target, Class<T> type, String prepared) {
        return proxy(type, (method, args) -> {
            String sql = args != null && args[0] instanceof String text ? text : prepared;
            String name = method.getDeclaringClass().getSimpleName() + "." + method.getName();
            String call = method.getName().startsWith("execute") ? name + " " + sql : name;
            return struck(call, () -> {
                if (call.equals("Connection.close")) {
                    return null;
                }
                if (warning != null && method.getName().equals("getWarnings")) {
                    return warning;
                }
                Object result = invoke(target, method, args);
                Class<?> made = method.getReturnType();
                boolean statement = method.getName().startsWith("prepare")
                        || method.getName().equals("createStatement");
                return statement ? wrapped(result, made, sql) : result;
            });
        });
    }

    private static Object invoke(Object target, Method method, Object[] args) throws Throwable {
        try {
            return method.invoke(target, args);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }

    private Object struck(String call, Doing doing) throws Throwable {
        calls.add(call);
        for (Map.Entry<String, Deque<Strike>> planned : strikes.entrySet()) {
            if (call.contains(planned.getKey()) && !planned.getValue().isEmpty()) {
                return planned.getValue().poll().at(doing);
            }
        }
        return doing.run();
    }

    @Override
    public void close() throws SQLException {
        if (physical != null) {
            physical.close();
        }
    }
}
