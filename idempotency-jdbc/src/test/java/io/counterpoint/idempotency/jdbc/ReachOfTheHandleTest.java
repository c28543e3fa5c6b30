package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.SQLExceptionOverride;
import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Done;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.jdbc.BothDatabases.Kind;
import io.counterpoint.idempotency.jdbc.guard.GuardedConnection;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.io.Writer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
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
import java.sql.RowId;
import java.sql.SQLException;
import java.sql.SQLXML;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Struct;
import java.sql.Types;
import java.sql.Wrapper;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Calls every method of every object of JDBC that the work can reach, and looks at the transaction after each call. What
 * is not called is SQL that ends a transaction, and {@code unwrap} with a class of the driver's own.
 */
@Tag("thorough")
@Timeout(120)
class ReachOfTheHandleTest extends OneDatabase {

    private static final Attempt ATTEMPT =
            Attempt.inScope("user:1").key("key-1").request("request");

    private static final Map<Class<?>, Class<?>> GUARDED = Stream.of(
                    Connection.class,
                    Statement.class,
                    PreparedStatement.class,
                    CallableStatement.class,
                    ResultSet.class,
                    DatabaseMetaData.class,
                    ResultSetMetaData.class,
                    ParameterMetaData.class,
                    Array.class,
                    Blob.class,
                    Clob.class,
                    NClob.class,
                    SQLXML.class,
                    InputStream.class,
                    OutputStream.class,
                    Reader.class,
                    Writer.class)
            .collect(Collectors.toMap(type -> type, ReachOfTheHandleTest::guarded));

    /** pgjdbc makes large objects of existing ones only. */
    private static final Set<Class<?>> NOT_IN_POSTGRESQL = Set.of(Blob.class, Clob.class, NClob.class);

    /** What does nothing when the work is over. */
    private static final Set<String> WITHOUT_EFFECT = Set.of(
            "close",
            "free",
            "cancel",
            "isClosed",
            "isWrapperFor",
            "mark",
            "markSupported",
            "getAutoCommit",
            "setAutoCommit");

    private static final Set<Class<?>> BARE = Set.of(RowId.class, Savepoint.class);

    private static final Set<Class<?>> REFUSED = Set.of(Struct.class, Ref.class);

    private static Class<?> guarded(Class<?> type) {
        try {
            return Class.forName(GuardedConnection.class.getPackageName() + ".Guarded" + type.getSimpleName());
        } catch (ClassNotFoundException missing) {
            throw new AssertionError(missing);
        }
    }

    // ---- the lists -----------------------------------------------------------------------------------------------

    @Test
    void everyMethodOfAGuardedTypeIsListed() {
        List<String> unlisted = new ArrayList<>();
        GUARDED.forEach((type, guard) -> methods(type)
                .filter(method -> type.isInterface())
                .forEach(method -> {
                    if (implementation(guard, method).getDeclaringClass().isInterface()) {
                        unlisted.add(method.toString());
                    }
                }));
        assertThat(unlisted)
                .as("methods that a newer JDBC has and that nobody has allowed or refused")
                .isEmpty();
    }

    @Test
    void everyTypeOfJdbcThatCanBeReachedIsListed() {
        Set<Class<?>> listed = new HashSet<>(GUARDED.keySet());
        listed.addAll(BARE);
        listed.addAll(REFUSED);
        listed.add(Wrapper.class);
        Stream.concat(GUARDED.keySet().stream(), BARE.stream())
                .flatMap(ReachOfTheHandleTest::methods)
                .map(Method::getReturnType)
                .filter(type -> type.isInterface() && type.getPackageName().endsWith("sql"))
                .forEach(type -> assertThat(listed).contains(type));
    }

    /** What has a generic result gives its own kind, as {@code unwrap}, or a source of XML. */
    @Test
    void typesThatStayBareLeadNowhere() {
        assertThat(BARE.stream()
                        .flatMap(ReachOfTheHandleTest::methods)
                        .filter(method -> method.getTypeParameters().length == 0)
                        .map(Method::getReturnType))
                .isNotEmpty()
                .allMatch(type -> type.isPrimitive()
                        || type == byte[].class
                        || type == String.class
                        || type.getPackageName().equals("java.io")
                        || BARE.contains(type));
    }

    private static Stream<Method> methods(Class<?> type) {
        return Arrays.stream(type.getMethods())
                .filter(method -> !Modifier.isStatic(method.getModifiers()))
                .filter(method -> method.getDeclaringClass() != Object.class);
    }

    private static Method implementation(Class<?> guard, Method method) {
        try {
            return guard.getMethod(method.getName(), method.getParameterTypes());
        } catch (NoSuchMethodException impossible) {
            throw new AssertionError(impossible);
        }
    }

    // ---- the walk ------------------------------------------------------------------------------------------------

    /** The pool closes connections after a call that a driver does not support. */
    private TestDatabase patient() {
        return database.with(config -> config.setExceptionOverride(new SQLExceptionOverride() {
            @java.lang.Override
            public Override adjudicate(SQLException thrown) {
                return Override.DO_NOT_EVICT;
            }
        }));
    }

    @ParameterizedTest
    @EnumSource
    void nothingThatAHandleReachesEndsItsTransaction(Kind kind) {
        on(kind);
        try (TestDatabase patient = patient()) {
            assertThat(Idempotency.on(patient.store()).operation("walk").build().execute(ATTEMPT, handle -> {
                        TestDatabase.write(handle, "effect");
                        return walkFrom(kind, handle.getConnection());
                    }))
                    .isInstanceOf(Outcome.Executed.class);
            walk.requireOver();
        }
        assertThat(database.effects()).containsExactly("effect");
    }

    @ParameterizedTest
    @EnumSource
    void nothingThatAConnectionReachesEndsItsTransaction(Kind kind) throws SQLException {
        on(kind);
        try (TestDatabase patient = patient()) {
            assertThat(Idempotency.on(patient.plain(patient.pool()).build())
                            .operation("walk")
                            .build()
                            .execute(ATTEMPT, connection -> {
                                try (Statement statement = connection.createStatement()) {
                                    statement.execute("INSERT INTO effect (id) VALUES ('effect')");
                                }
                                return walkFrom(kind, connection);
                            }))
                    .isInstanceOf(Outcome.Executed.class);
            walk.requireOver();
        }
        assertThat(database.effects()).containsExactly("effect");
    }

    private Walk walk;

    private Done walkFrom(Kind kind, Connection connection) {
        walk = new Walk(kind, (GuardedConnection) connection);
        walk.run();
        Set<Class<?>> expected = new HashSet<>(GUARDED.keySet());
        if (kind == Kind.POSTGRESQL) {
            expected.removeAll(NOT_IN_POSTGRESQL);
        }
        assertThat(walk.found.keySet()).containsAll(expected);
        assertThat(walk.calls).isGreaterThan(1_000);
        return Done.DONE;
    }

    /** How an object is made anew for each call, since many calls use it up. */
    private interface Maker {
        Object make() throws ReflectiveOperationException;
    }

    private static final class Walk {
        private final Kind kind;
        private final GuardedConnection guard;
        private final String transaction;
        private final Map<Class<?>, Maker> found = new LinkedHashMap<>();
        private final Map<Class<?>, Object> kept = new LinkedHashMap<>();
        private int calls;
        private final Queue<Class<?>> toVisit = new ArrayDeque<>();

        Walk(Kind kind, GuardedConnection guard) {
            this.kind = kind;
            this.guard = guard;
            if (kind == Kind.POSTGRESQL) {
                bare("SAVEPOINT walk");
            }
            this.transaction = transaction();
        }

        void run() {
            meet(guard, () -> guard);
            for (Class<?> type = toVisit.poll(); type != null; type = toVisit.poll()) {
                visit(type, found.get(type));
            }
        }

        private void visit(Class<?> type, Maker maker) {
            methods(type).sorted(Comparator.comparing(Method::toString)).forEach(method -> {
                for (int variant = 0; variant < variants(method); variant++) {
                    int chosen = variant;
                    Maker next = () -> method.invoke(prepared(maker.make()), arguments(method, chosen));
                    call(method, next);
                }
            });
        }

        private void call(Method method, Maker next) {
            Object returned = null;
            calls++;
            try {
                returned = next.make();
            } catch (InvocationTargetException refused) {
                assertThat(refused.getCause())
                        .as(method.toString())
                        .isInstanceOfAny(
                                SQLException.class,
                                IOException.class,
                                RuntimeException.class,
                                AbstractMethodError.class);
            } catch (ReflectiveOperationException impossible) {
                throw new LinkageError(method.toString(), impossible);
            }
            try {
                assertThat(transaction()).isEqualTo(transaction);
            } catch (AssertionError ended) {
                throw new AssertionError(method + " has ended or changed the transaction.", ended);
            }
            check(method, returned, next);
        }

        private void check(Method method, Object returned, Maker next) {
            if (returned instanceof Object[] elements) {
                for (Object element : elements) {
                    check(method, element, () -> element);
                }
            } else if (returned instanceof Connection) {
                assertThat(returned).as("what %s gave", method).isSameAs(guard);
            } else if (returned != null) {
                meet(returned, next);
            }
        }

        private void meet(Object object, Maker maker) {
            for (Class<?> type : GUARDED.keySet()) {
                if (type.isInstance(object)) {
                    assertThat(object.getClass().getName())
                            .as("class of a %s", type.getSimpleName())
                            .startsWith("io.counterpoint.idempotency.jdbc.");
                }
            }
            Stream.concat(GUARDED.keySet().stream(), BARE.stream())
                    .filter(type -> type.isInstance(object))
                    .filter(type -> BARE.contains(type) || GUARDED.get(type) == object.getClass())
                    .filter(type -> type != ResultSet.class || hasArray((ResultSet) object))
                    .filter(type -> found.putIfAbsent(type, maker) == null)
                    .forEach(type -> {
                        kept.put(type, object);
                        toVisit.add(type);
                    });
        }

        /** After the work no method of any object does anything, whichever thread calls it. */
        void requireOver() {
            kept.forEach((type, object) -> methods(type)
                    .filter(method -> GUARDED.containsKey(type))
                    .filter(method -> !method.getName().startsWith("getDriverM"))
                    .forEach(method -> {
                        requireOver(method, object);
                        CompletableFuture.runAsync(() -> requireOver(method, object))
                                .join();
                    }));
        }

        private void requireOver(Method method, Object object) {
            Object[] arguments = Arrays.stream(method.getParameterTypes())
                    .map(type -> type == Savepoint.class
                            ? null
                            : candidates(method, type).get(0))
                    .toArray();
            try {
                assertThat(method.invoke(object, arguments))
                        .as(method.toString())
                        .isIn(null, true, false);
                assertThat(method.getName()).isIn(WITHOUT_EFFECT);
            } catch (InvocationTargetException thrown) {
                assertThat(thrown.getCause())
                        .as(method.toString())
                        .isInstanceOfAny(SQLException.class, IOException.class)
                        .hasMessageContaining("Refused to");
            } catch (IllegalAccessException impossible) {
                throw new AssertionError(impossible);
            }
        }

        private static boolean hasArray(ResultSet result) {
            try {
                return result.findColumn("b") > 0;
            } catch (SQLException | RuntimeException without) {
                return false;
            }
        }

        /** What it takes for its methods to have something to do. */
        private static Object prepared(Object object) {
            try {
                if (object instanceof ResultSet result) {
                    result.next();
                } else if (object instanceof CallableStatement call) {
                    call.registerOutParameter(1, Types.INTEGER);
                    call.setInt(2, -1);
                } else if (object instanceof PreparedStatement statement) {
                    statement.setString(1, "text");
                }
            } catch (SQLException unprepared) {
                // Its methods are called all the same.
            }
            return object;
        }

        /** The transaction's name and kind. On PostgreSQL a failed call has broken it, up to the savepoint. */
        private String transaction() {
            try {
                assertThat(guard.delegate().getAutoCommit()).isFalse();
                return kind == Kind.POSTGRESQL
                        ? bare("ROLLBACK TO SAVEPOINT walk; SELECT pg_current_xact_id() || ' '"
                                + " || current_setting('transaction_isolation') || ' '"
                                + " || current_setting('transaction_read_only')")
                        : bare("SELECT TRANSACTION_ID()")
                                + " "
                                + guard.delegate().getTransactionIsolation()
                                + guard.delegate().isReadOnly();
            } catch (SQLException ended) {
                throw new AssertionError("The transaction cannot be asked.", ended);
            }
        }

        private String bare(String sql) {
            try (Statement statement = guard.delegate().createStatement()) {
                boolean rows = statement.execute(sql);
                while (!rows && statement.getUpdateCount() != -1) {
                    rows = statement.getMoreResults();
                }
                if (!rows) {
                    return "";
                }
                try (ResultSet result = statement.getResultSet()) {
                    result.next();
                    return String.valueOf(result.getString(1));
                }
            } catch (SQLException ended) {
                throw new AssertionError("The transaction has ended, or cannot be asked.", ended);
            }
        }

        private int variants(Method method) {
            return Arrays.stream(method.getParameterTypes())
                    .mapToInt(type -> candidates(method, type).size())
                    .max()
                    .orElse(1);
        }

        private Object[] arguments(Method method, int variant) {
            return Arrays.stream(method.getParameterTypes())
                    .map(type -> candidates(method, type))
                    .map(candidates -> candidates.get(variant % candidates.size()))
                    .toArray();
        }

        private List<Object> candidates(Method method, Class<?> type) {
            if (type == Class.class) {
                return List.of(Connection.class, Statement.class, ResultSet.class, Array.class, Object.class);
            }
            if (type == String.class) {
                return texts(method);
            }
            if (type == boolean.class) {
                return List.of(true, false);
            }
            if (type == int.class) {
                return numbers(method);
            }
            return Arrays.asList(value(type));
        }

        private static List<Object> texts(Method method) {
            return switch (method.getName()) {
                case "prepareStatement" -> List.of("SELECT CAST(? AS varchar(9)) AS a, ARRAY[1, 2] AS b");
                case "createArrayOf" -> List.of("INTEGER");
                case "prepareCall" -> List.of("{? = call abs(?)}");
                case "execute", "executeQuery", "executeUpdate", "executeLargeUpdate", "addBatch", "nativeSQL" ->
                    List.of("SELECT 'text' AS a, ARRAY[1, 2] AS b");
                default ->
                    ResultSet.class.isAssignableFrom(method.getDeclaringClass()) ? List.of("a", "b") : List.of("x");
            };
        }

        private static List<Object> numbers(Method method) {
            return switch (method.getName()) {
                case "setTransactionIsolation" ->
                    List.of(
                            Connection.TRANSACTION_READ_UNCOMMITTED,
                            Connection.TRANSACTION_READ_COMMITTED,
                            Connection.TRANSACTION_REPEATABLE_READ,
                            Connection.TRANSACTION_SERIALIZABLE);
                case "setQueryTimeout", "isValid" -> List.of(60);
                case "createStatement" -> List.of(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY);
                default -> List.of(1, 2);
            };
        }

        private Object value(Class<?> type) {
            if (type == long.class) {
                return 1L;
            }
            if (type == short.class) {
                return (short) 1;
            }
            if (type == byte.class) {
                return (byte) 1;
            }
            if (type == char.class) {
                return 'a';
            }
            if (type == float.class) {
                return 1f;
            }
            if (type == double.class) {
                return 1d;
            }
            if (type == Executor.class) {
                return (Executor) Runnable::run;
            }
            if (type == Properties.class) {
                return new Properties();
            }
            if (type == Object[].class) {
                return new Object[] {1, 2};
            }
            if (type == int[].class) {
                return new int[] {1};
            }
            if (type == String[].class) {
                return new String[] {"a"};
            }
            if (type == Object.class) {
                return "x";
            }
            if (type == Savepoint.class) {
                return savepoint();
            }
            return null;
        }

        private Savepoint savepoint() {
            try {
                return guard.setSavepoint();
            } catch (SQLException thrown) {
                throw new AssertionError(thrown);
            }
        }
    }
}
