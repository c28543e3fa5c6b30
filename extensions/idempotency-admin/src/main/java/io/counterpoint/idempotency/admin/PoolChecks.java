package io.counterpoint.idempotency.admin;

import static io.counterpoint.idempotency.admin.Diagnosis.POOL_READ_ONLY;
import static io.counterpoint.idempotency.admin.Diagnosis.POOL_READ_UNCOMMITTED;
import static io.counterpoint.idempotency.admin.Diagnosis.POOL_TEST_QUERY;
import static io.counterpoint.idempotency.admin.Diagnosis.POOL_TIMEOUT_LONG;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Checks the settings of HikariCP if it is the data source. Its classes are loaded only if they are present. */
final class PoolChecks {

    /** The default grace period minus a second. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(59);

    private static final boolean PRESENT = isPresent();

    private PoolChecks() {}

    private static boolean isPresent() {
        try {
            return !HikariDataSource.class.isInterface();
        } catch (NoClassDefFoundError absent) {
            return false;
        }
    }

    static void examine(DataSource dataSource, List<Finding> findings) {
        try {
            if (PRESENT && dataSource.isWrapperFor(HikariDataSource.class)) {
                Hikari.examine(dataSource.unwrap(HikariDataSource.class), findings);
            }
        } catch (SQLException unknown) {
            findings.add(new Finding(Diagnosis.NOT_EXAMINED, "the pool's settings"));
        }
    }

    /** Returns a property that the pool passes to the driver in addition to the URL, or null. */
    static @Nullable String driverProperty(DataSource dataSource, String name) throws SQLException {
        return PRESENT && dataSource.isWrapperFor(HikariDataSource.class)
                ? Hikari.driverProperty(dataSource.unwrap(HikariDataSource.class), name)
                : null;
    }

    /** A separate class, so that it is loaded only after the check for the pool. */
    private static final class Hikari {
        static @Nullable String driverProperty(HikariDataSource pool, String name) {
            return pool.getDataSourceProperties().getProperty(name);
        }

        static void examine(HikariDataSource pool, List<Finding> findings) {
            if (pool.getConnectionTimeout() > LONGEST_WAIT.toMillis()) {
                findings.add(
                        new Finding(POOL_TIMEOUT_LONG, "connectionTimeout is " + pool.getConnectionTimeout() + " ms"));
            }
            if (!pool.isAutoCommit() && pool.getConnectionTestQuery() != null && !pool.isIsolateInternalQueries()) {
                findings.add(new Finding(
                        POOL_TEST_QUERY,
                        "there is a connectionTestQuery, but neither autocommit nor isolateInternalQueries"));
            }
            if (pool.isReadOnly()) {
                findings.add(new Finding(POOL_READ_ONLY, "readOnly is true"));
            }
            if ("TRANSACTION_READ_UNCOMMITTED".equals(pool.getTransactionIsolation())) {
                findings.add(new Finding(POOL_READ_UNCOMMITTED, "transactionIsolation is READ_UNCOMMITTED"));
            }
        }
    }
}
