package io.counterpoint.idempotency.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.temporal.Temporal;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/**
 * Gauges of the {@code Pending} records of a table, by operation, using the database's clock. {@link #refresh()} reads
 * them: call it on a schedule, such as every minute. One node is enough.
 *
 * <ul>
 *   <li>{@value #COUNT}: the number of records.
 *   <li>{@value #OLDEST}: the time since the least recent change, in seconds.
 *   <li>{@value #READ_AGE}: the time since the last successful refresh, or since startup, in seconds. If it grows, the
 *       other two are outdated.
 * </ul>
 *
 * <p>A refresh reads the whole table once, because an index on the state would slow down every mark. It is read-only,
 * takes no lock that a call waits for, and works on PostgreSQL, H2, MariaDB and MySQL.
 *
 * <p>Thread-safe.
 */
public final class PendingRecords implements MeterBinder {

    /** The name of the gauge of the number of records. */
    public static final String COUNT = "idempotency.pending";

    /** The name of the gauge of the oldest record. */
    public static final String OLDEST = "idempotency.pending.oldest.age";

    /** The name of the gauge of the last refresh. */
    public static final String READ_AGE = "idempotency.pending.read.age";

    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)?");

    /**
     * Databases without a type for zoned times. Their times are stored in UTC, regardless of the session's time zone.
     */
    private static final Set<String> WITHOUT_ZONES = Set.of("MariaDB", "MySQL");

    private final DataSource dataSource;
    private final String sql;
    private volatile List<Registered> registered = List.of();

    private PendingRecords(DataSource dataSource, String table) {
        if (!NAME.matcher(table).matches()) {
            throw new IllegalArgumentException(
                    "A table name must consist of letters, digits and _, with at most one dot; found \"" + table
                            + "\".");
        }
        this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
        this.sql = "SELECT operation, count(*), min(updated_at), %s FROM " + table
                + " WHERE state = 'P' GROUP BY operation";
    }

    /**
     * Returns the gauges of the table {@code idempotency_record}.
     *
     * @param dataSource the data source of the table
     * @return the gauges; bind them to a registry
     */
    public static PendingRecords in(DataSource dataSource) {
        return new PendingRecords(dataSource, "idempotency_record");
    }

    /**
     * Returns the gauges of a table.
     *
     * @param dataSource the data source of the table
     * @param table the table's name, with or without a schema
     * @return the gauges; bind them to a registry
     * @throws IllegalArgumentException if the name is not a name or a schema and a name
     */
    public static PendingRecords in(DataSource dataSource, String table) {
        return new PendingRecords(dataSource, table);
    }

    @Override
    public synchronized void bindTo(MeterRegistry registry) {
        var gauges = new Registered(registry);
        var all = new ArrayList<>(registered);
        all.add(gauges);
        registered = List.copyOf(all);
        TimeGauge.builder(READ_AGE, gauges, TimeUnit.SECONDS, Registered::secondsSinceRefresh)
                .description("The time since the pending records were read")
                .register(registry);
    }

    /**
     * Reads the table and sets the gauges of every registry. An operation without {@code Pending} records has no gauge.
     *
     * @throws SQLException if the table cannot be read; the gauges stay unchanged
     */
    public void refresh() throws SQLException {
        List<Pending> found = new ArrayList<>();
        try (Connection connection = dataSource.getConnection()) {
            boolean zoned = !WITHOUT_ZONES.contains(connection.getMetaData().getDatabaseProductName());
            String now = zoned ? "CURRENT_TIMESTAMP" : "UTC_TIMESTAMP(6)";
            try (var statement = connection.prepareStatement(sql.formatted(now));
                    ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(Pending.of(rows, zoned ? OffsetDateTime.class : LocalDateTime.class));
                }
            }
        }
        registered.forEach(gauges -> gauges.set(found));
    }

    private record Pending(String operation, long count, Duration oldest) {

        static Pending of(ResultSet row, Class<? extends Temporal> time) throws SQLException {
            Duration oldest = Duration.between(row.getObject(3, time), row.getObject(4, time));
            return new Pending(row.getString(1), row.getLong(2), oldest);
        }
    }

    private static final class Registered {
        private final MeterRegistry registry;
        private final MultiGauge counts;
        private final MultiGauge ages;
        private volatile long refreshed;

        Registered(MeterRegistry registry) {
            this.registry = registry;
            this.refreshed = now();
            this.counts =
                    MultiGauge.builder(COUNT).description("Pending records").register(registry);
            this.ages = MultiGauge.builder(OLDEST)
                    .description("The age of the oldest pending record")
                    .baseUnit("seconds")
                    .register(registry);
        }

        void set(List<Pending> found) {
            counts.register(rows(found, Pending::count), true);
            ages.register(rows(found, pending -> pending.oldest().toMillis() / 1e3), true);
            refreshed = now();
        }

        double secondsSinceRefresh() {
            return (now() - refreshed) / 1e9;
        }

        private long now() {
            return registry.config().clock().monotonicTime();
        }

        private static List<Row<?>> rows(List<Pending> found, ToDoubleFunction<Pending> value) {
            List<Row<?>> rows = new ArrayList<>();
            for (Pending pending : found) {
                rows.add(Row.of(Tags.of("operation", pending.operation()), pending, value));
            }
            return rows;
        }
    }
}
