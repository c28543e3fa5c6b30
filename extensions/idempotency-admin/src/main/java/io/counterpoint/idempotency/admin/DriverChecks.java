package io.counterpoint.idempotency.admin;

import static io.counterpoint.idempotency.admin.Diagnosis.DRIVER_UNKNOWN;
import static io.counterpoint.idempotency.admin.Diagnosis.ERROR_DETAIL_SHOWN;
import static io.counterpoint.idempotency.admin.Diagnosis.HOSTS_WITHOUT_TARGET;
import static io.counterpoint.idempotency.admin.Diagnosis.SAVEPOINT_PER_EXCHANGE;
import static io.counterpoint.idempotency.admin.Diagnosis.SIMPLE_QUERY_MODE;
import static io.counterpoint.idempotency.admin.Diagnosis.SOCKET_TIMEOUT_MISSING;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.QueryExecutor;
import org.postgresql.jdbc.AutoSave;
import org.postgresql.jdbc.PreferQueryMode;

/**
 * Checks the driver's settings on a connection, regardless of whether they were set by the URL, the pool or the
 * driver's own data source. The URL itself is never shown, because it may contain a password.
 *
 * @param product the database
 * @param dataSource the data source, which may be a pool with properties for the driver
 */
record DriverChecks(Product product, DataSource dataSource) {

    private static final Pattern SEVERAL_HOSTS = Pattern.compile("jdbc:postgresql://[^/?]*,.*");

    private static final boolean PRESENT = isPresent();

    private static boolean isPresent() {
        try {
            return BaseConnection.class.isInterface();
        } catch (NoClassDefFoundError absent) {
            return false;
        }
    }

    void examine(Connection connection, List<Finding> findings) throws SQLException {
        if (product == Product.H2) {
            return;
        }
        if (connection.getNetworkTimeout() == 0) {
            findings.add(new Finding(SOCKET_TIMEOUT_MISSING, "the connection has no network timeout"));
        }
        if (product != Product.POSTGRESQL) {
            return;
        }
        if (PRESENT && connection.isWrapperFor(BaseConnection.class)) {
            PgJdbc.examine(connection.unwrap(BaseConnection.class), findings);
        } else {
            findings.add(new Finding(DRIVER_UNKNOWN, "the connection does not unwrap to pgjdbc's"));
        }
        String url = connection.getMetaData().getURL();
        if (url != null
                && SEVERAL_HOSTS.matcher(url).matches()
                && !"primary".equals(parameter(url, "targetServerType"))
                && !"primary".equals(PoolChecks.driverProperty(dataSource, "targetServerType"))) {
            findings.add(new Finding(HOSTS_WITHOUT_TARGET, "targetServerType is not primary"));
        }
    }

    private static @Nullable String parameter(String url, String name) {
        Matcher found = Pattern.compile("[?&]" + name + "=([^&]*)").matcher(url);
        return found.find() ? found.group(1) : null;
    }

    /** A separate class, so that it is loaded only after the check for the driver. */
    private static final class PgJdbc {
        static void examine(BaseConnection connection, List<Finding> findings) {
            QueryExecutor executor = connection.getQueryExecutor();
            if (executor.getPreferQueryMode() == PreferQueryMode.SIMPLE) {
                findings.add(new Finding(SIMPLE_QUERY_MODE, "preferQueryMode is simple"));
            }
            if (executor.getAutoSave() != AutoSave.NEVER) {
                findings.add(new Finding(SAVEPOINT_PER_EXCHANGE, "autosave is not never"));
            }
            if (connection.getLogServerErrorDetail()) {
                findings.add(new Finding(ERROR_DETAIL_SHOWN, "logServerErrorDetail is not false"));
            }
        }
    }
}
