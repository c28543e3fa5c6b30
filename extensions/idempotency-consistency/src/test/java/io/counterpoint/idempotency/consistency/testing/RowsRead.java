package io.counterpoint.idempotency.consistency.testing;

import io.counterpoint.idempotency.consistency.internal.DatabaseProduct;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.argument.Argument;
import org.jdbi.v3.core.statement.SqlLogger;
import org.jdbi.v3.core.statement.SqlStatements;
import org.jdbi.v3.core.statement.StatementContext;

/** How many rows the queries read, as the server's own account of the plan says: each is explained and run before it runs. */
@SuppressWarnings("removal")
public final class RowsRead implements SqlLogger {

    private static final Pattern COUNTED_BY_H2 = Pattern.compile("scanCount: (\\d+)()");
    private static final Pattern COUNTED_BY_POSTGRESQL = Pattern.compile("rows=([0-9.]+) loops=(\\d+)\\)");
    private static final Pattern FILTERED_BY_POSTGRESQL = Pattern.compile("Rows Removed by \\w+(?: \\w+)*: (\\d+)()");
    private static final Pattern COUNTED_BY_MYSQL = Pattern.compile("rows=([0-9.e+]+) loops=(\\d+)\\)");

    private final DatabaseProduct database;
    private final List<String> plans = new ArrayList<>();
    private double rows;

    private RowsRead(DatabaseProduct database) {
        this.database = database;
    }

    /** Counts from now on. */
    public static RowsRead by(Jdbi jdbi) {
        RowsRead counting = new RowsRead(jdbi.withHandle(DatabaseProduct::of));
        jdbi.getConfig(SqlStatements.class).setSqlLogger(counting);
        return counting;
    }

    public double rows() {
        return rows;
    }

    @Override
    public void logBeforeExecution(StatementContext context) {
        String sql = context.getParsedSql().getSql();
        if (!sql.startsWith("SELECT")) {
            return;
        }
        try {
            Connection connection = context.getConnection();
            try (PreparedStatement explained = connection.prepareStatement(prefix() + sql)) {
                int position = 1;
                for (String name : context.getParsedSql().getParameters().getParameterNames()) {
                    Argument value =
                            context.getBinding().findForName(name, context).orElseThrow();
                    value.apply(position++, explained, context);
                }
                try (ResultSet plan = explained.executeQuery()) {
                    add(plan);
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    private String prefix() {
        return switch (database) {
            case H2, MYSQL -> "EXPLAIN ANALYZE ";
            case POSTGRESQL -> "EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF) ";
            case MARIADB -> "ANALYZE ";
        };
    }

    private void add(ResultSet plan) throws SQLException {
        while (plan.next()) {
            if (database == DatabaseProduct.MARIADB) {
                plans.add(plan.getString("table") + " " + plan.getString("key") + " " + plan.getString("r_rows") + " "
                        + plan.getString("Extra"));
                rows += plan.getDouble("r_rows");
                continue;
            }
            String line = plan.getString(1);
            plans.add(line);
            switch (database) {
                case H2 -> add(COUNTED_BY_H2, line);
                case MYSQL -> add(COUNTED_BY_MYSQL, line);
                default -> {
                    add(COUNTED_BY_POSTGRESQL, line);
                    add(FILTERED_BY_POSTGRESQL, line);
                }
            }
        }
    }

    private void add(Pattern counted, String line) {
        for (MatchResult found : counted.matcher(line).results().toList()) {
            rows += Double.parseDouble(found.group(1))
                    * (found.group(2).isEmpty() ? 1 : Long.parseLong(found.group(2)));
        }
    }

    @Override
    public String toString() {
        return String.join("\n", plans);
    }
}
