package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.jdbc.h2.H2Dialect;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;

@Tag("thorough")
class H2PurgeTest extends PurgeTest {

    private static final Pattern SCANNED = Pattern.compile("scanCount: (\\d+)");

    @Override
    TestDatabase open() {
        return TestDatabase.h2();
    }

    @Override
    H2Dialect dialect() {
        return new H2Dialect(RecordTable.DEFAULT);
    }

    @Override
    int pending() {
        return 40_000;
    }

    @Override
    String numbers() {
        return "(SELECT x AS n FROM system_range(1, :count)) AS numbers";
    }
    /** The plan names the rows that a statement has read. Its deletion is rolled back, and then repeated as a purge. */
    @Override
    long readsOf(PurgeSweep sweep, int expected) throws SQLException {
        try (Connection connection = one.pool().getConnection()) {
            connection.setAutoCommit(false);
            long rows = 0;
            try (PreparedStatement plan = connection.prepareStatement("EXPLAIN ANALYZE " + delete())) {
                plan.setObject(1, sweep.reached());
                plan.setInt(2, BATCH);
                try (ResultSet explained = plan.executeQuery()) {
                    explained.next();
                    Matcher matcher = SCANNED.matcher(explained.getString(1));
                    while (matcher.find()) {
                        rows += Long.parseLong(matcher.group(1));
                    }
                }
            }
            connection.rollback();
            connection.setAutoCommit(true);
            purge(sweep, connection, expected);
            return rows;
        }
    }

    /** Without the query around it: the plan of that query does not name the rows that the deletion reads. */
    private String delete() {
        String sql = dialect().purge();
        return sql.substring(sql.indexOf("DELETE"), sql.lastIndexOf(')'));
    }

    @Override
    String unit() {
        return "rows";
    }
}
