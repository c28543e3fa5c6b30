package io.counterpoint.idempotency.testing.bridge;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The data source of a node, which reports what is about to be sent. */
public final class StoppingDataSource {

    private StoppingDataSource() {}

    /** Wraps a data source. */
    public static DataSource of(DataSource source) {
        return wrap(DataSource.class, source, "");
    }

    private static <T> T wrap(Class<T> type, Object target, String prepared) {
        return type.cast(Proxy.newProxyInstance(
                StoppingDataSource.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    String sql = arguments != null && arguments.length > 0 && arguments[0] instanceof String text
                            ? text
                            : prepared;
                    if (method.getName().startsWith("execute")) {
                        BridgeNode.sending(sql);
                    } else if (method.getName().equals("commit")) {
                        BridgeNode.sending("COMMIT");
                    }
                    try {
                        return wrapped(method.getReturnType(), method.invoke(target, arguments), sql);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                }));
    }

    private static @Nullable Object wrapped(Class<?> type, @Nullable Object result, String sql) {
        boolean stops = List.of(Connection.class, Statement.class, PreparedStatement.class)
                .contains(type);
        return result == null || !stops || Proxy.isProxyClass(result.getClass()) ? result : wrap(type, result, sql);
    }
}
