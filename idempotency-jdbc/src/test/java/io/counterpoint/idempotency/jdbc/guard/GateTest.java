package io.counterpoint.idempotency.jdbc.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.io.Writer;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.sql.Blob;
import java.sql.CallableStatement;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.NClob;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLXML;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which calls the gate counts: while each method of each guarded type is in the driver, the work ends. */
class GateTest {

    /** A driver that ends the work within each of its calls. It says whether that was an end without another's call. */
    private static final class EndingDriver {
        private GuardedConnection connection;
        private Optional<Boolean> alone = Optional.empty();

        EndingDriver() throws SQLException {
            connection = new GuardedConnection(object(Connection.class));
            alone = Optional.empty();
        }

        /** An object of the driver, where the type is one of JDBC. */
        <T> T object(Class<T> type) {
            return type.cast(Proxy.newProxyInstance(
                    GateTest.class.getClassLoader(), new Class<?>[] {type}, (self, called, with) -> {
                        called();
                        Class<?> result = called.getReturnType();
                        return result.isPrimitive() && result != void.class
                                ? Array.get(Array.newInstance(result, 1), 0)
                                : null;
                    }));
        }

        void called() {
            if (connection != null) {
                alone = Optional.of(connection.gate().end());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                Connection.class,
                Statement.class,
                PreparedStatement.class,
                CallableStatement.class,
                ResultSet.class,
                DatabaseMetaData.class,
                ResultSetMetaData.class,
                ParameterMetaData.class,
                java.sql.Array.class,
                Blob.class,
                Clob.class,
                NClob.class,
                SQLXML.class
            })
    void everyCallOfAnotherThreadIsCountedAndNoneOfTheOwner(Class<?> type) throws Exception {
        List<Method> calls = Arrays.stream(type.getMethods())
                .filter(method -> !Modifier.isStatic(method.getModifiers()))
                .filter(method -> method.getExceptionTypes().length > 0)
                .toList();
        List<String> seen = new ArrayList<>();
        for (Method call : calls) {
            EndingDriver own = new EndingDriver();
            invoke(call, guarded(own, type));
            EndingDriver foreign = new EndingDriver();
            Object object = guarded(foreign, type);
            CompletableFuture.runAsync(() -> invoke(call, object)).get();

            assertThat(foreign.alone.isPresent()).isEqualTo(own.alone.isPresent());
            if (own.alone.isPresent()) {
                assertThat(own.alone).as("%s by the owner", call).contains(true);
                assertThat(foreign.alone).as("%s by another thread", call).contains(false);
                seen.add(call.getName());
            }
        }
        assertThat(seen).hasSizeGreaterThanOrEqualTo(Math.min(calls.size(), 4));
    }

    private static Object guarded(EndingDriver driver, Class<?> type) throws SQLException {
        Guard guard = new Guard(driver.connection);
        Object bare = driver.object(type);
        if (type == Connection.class) {
            return driver.connection;
        }
        driver.connection.guard = guard;
        return guard.value(bare);
    }

    /** With nothing for each parameter: the driver takes all. */
    private static void invoke(Method call, Object object) {
        Object[] nothing = Arrays.stream(call.getParameterTypes())
                .map(type -> type == Class.class
                        ? Integer.class
                        : type == String.class
                                ? ""
                                : type.isPrimitive() ? Array.get(Array.newInstance(type, 1), 0) : null)
                .toArray();
        try {
            call.invoke(object, nothing);
        } catch (InvocationTargetException refused) {
            assertThat(refused.getCause()).isInstanceOf(SQLException.class).hasMessageStartingWith("Refused to");
        } catch (IllegalAccessException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private interface StreamCall {
        void on(Guard guard, EndingDriver driver) throws Exception;
    }

    private static final class CountedInput extends InputStream {

        private final EndingDriver driver;

        CountedInput(EndingDriver driver) {
            this.driver = driver;
        }

        @Override
        public int read() {
            driver.called();
            return -1;
        }

        @Override
        public int read(byte[] into, int from, int length) {
            return read();
        }
    }

    @Test
    void everyCallOfAnotherThreadToAStreamIsCounted() throws Exception {
        assertCounted((guard, driver) -> new GuardedInputStream(guard, new CountedInput(driver)).read());
        assertCounted((guard, driver) -> new GuardedOutputStream(guard, new OutputStream() {
                    @Override
                    public void write(int one) {
                        driver.called();
                    }
                })
                .write(1));
        assertCounted((guard, driver) -> new GuardedReader(guard, new Reader() {
                    @Override
                    public int read(char[] into, int from, int length) {
                        driver.called();
                        return -1;
                    }

                    @Override
                    public void close() {}
                })
                .read());
        assertCounted((guard, driver) -> new GuardedWriter(guard, new Writer() {
                    @Override
                    public void write(char[] text, int from, int length) {
                        driver.called();
                    }

                    @Override
                    public void flush() {}

                    @Override
                    public void close() {}
                })
                .append('a'));
    }

    private static void assertCounted(StreamCall call) throws SQLException, InterruptedException, ExecutionException {
        EndingDriver foreign = new EndingDriver();
        Guard guard = new Guard(foreign.connection);
        foreign.connection.guard = guard;
        CompletableFuture.runAsync(() -> {
                    try {
                        call.on(guard, foreign);
                    } catch (Exception thrown) {
                        throw new AssertionError(thrown);
                    }
                })
                .get();
        assertThat(foreign.alone).contains(false);
    }
}
