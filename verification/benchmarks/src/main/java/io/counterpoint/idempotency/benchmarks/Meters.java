package io.counterpoint.idempotency.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What calls cost besides time: processor time of this process, processor time and instructions of all processes of the
 * server, and what the server reports of its log and its indexes. A figure that this machine or this server does not
 * give is not a number.
 */
final class Meters {

    /** Where Linux reports the nanoseconds that a process has run. */
    private static final Path PROC = Path.of("/proc");

    private static final int FIRST_VERSION_THAT_REPORTS_AT_ONCE = 15;
    private static final int FIRST_VERSION_THAT_COUNTS_LOG_SYNCS = 18;

    private final HikariDataSource pool;
    private final long postmaster;
    private final int version;
    private final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /** Meters of the server behind a pool; {@code postmaster} is 0 if its processes are not to be seen from here. */
    private Meters(HikariDataSource pool, long postmaster, int version) {
        this.pool = pool;
        this.postmaster = postmaster;
        this.version = version;
    }

    static Meters of(Database database) {
        long backend = database.number("SELECT pg_backend_pid()");
        int version = (int) database.number("SELECT current_setting('server_version_num')::int / 10000");
        return new Meters(database.pool(), postmasterOf(backend), version);
    }

    /** Meters of this process alone, where the server is not PostgreSQL. */
    static Meters ofClient(Database database) {
        return new Meters(database.pool(), 0, 0);
    }

    private static long postmasterOf(long backend) {
        try {
            return Files.readString(PROC.resolve(backend + "/comm")).startsWith("postgres") ? parentOf(backend) : 0;
        } catch (IOException notOnThisMachine) {
            return 0;
        }
    }

    /** Begins to measure: what reading the meters costs is over then. */
    Turn begin() throws SQLException, IOException {
        Reported reported = reported();
        Map<Long, Long> server = serverNanos();
        Instructions instructions =
                !server.isEmpty() && Instructions.areOffered() ? Instructions.begin(server.keySet()) : null;
        return new Turn(system.getProcessCpuTime(), server, reported, instructions);
    }

    /** What the meters showed when the turn of a variant began. */
    final class Turn implements AutoCloseable {
        private final long clientNanos;
        private final Map<Long, Long> serverNanos;
        private final Reported reported;
        private final @Nullable Instructions instructions;

        private Turn(
                long clientNanos, Map<Long, Long> serverNanos, Reported reported, @Nullable Instructions instructions) {
            this.clientNanos = clientNanos;
            this.serverNanos = serverNanos;
            this.reported = reported;
            this.instructions = instructions;
        }

        /** Reads the meters again, first those that reading moves. */
        Sample.Cost costOfEachOf(long calls) throws SQLException, IOException {
            double client = (system.getProcessCpuTime() - clientNanos) / 1e3;
            double server = serverMicros();
            double executed = instructions == null ? Double.NaN : instructions.end();
            Reported now = reported();
            return new Sample.Cost(
                    client / calls,
                    server / calls,
                    executed / calls,
                    (now.logSyncs - reported.logSyncs) / calls,
                    (now.logBytes - reported.logBytes) / calls,
                    (now.indexBlocks - reported.indexBlocks) / calls);
        }

        private double serverMicros() {
            if (serverNanos.isEmpty()) {
                return Double.NaN;
            }
            return serverNanos().entrySet().stream()
                            .mapToLong(process -> process.getValue() - serverNanos.getOrDefault(process.getKey(), 0L))
                            .sum()
                    / 1e3;
        }

        @Override
        public void close() {
            if (instructions != null) {
                instructions.close();
            }
        }
    }

    private Map<Long, Long> serverNanos() {
        Map<Long, Long> nanos = new HashMap<>();
        ProcessHandle.of(postmaster).ifPresent(server -> {
            nanos.put(postmaster, nanosOf(postmaster));
            server.children().map(ProcessHandle::pid).forEach(pid -> nanos.put(pid, nanosOf(pid)));
        });
        return nanos;
    }

    private static long parentOf(long pid) throws IOException {
        String stat = Files.readString(PROC.resolve(pid + "/stat"));
        // The name before it is in parentheses and may have any character.
        return Long.parseLong(stat.substring(stat.lastIndexOf(')') + 2).split(" ", 3)[1]);
    }

    private static long nanosOf(long pid) {
        try {
            return Long.parseLong(
                    Files.readString(PROC.resolve(pid + "/schedstat")).split(" ", 2)[0]);
        } catch (IOException gone) {
            return 0;
        }
    }

    /** What the server says of itself. */
    private record Reported(double logSyncs, double logBytes, double indexBlocks) {}

    /** Backends report their counts about once in a second, unless they are asked to at once. */
    private Reported reported() throws SQLException {
        if (version == 0) {
            return new Reported(Double.NaN, Double.NaN, Double.NaN);
        }
        List<Connection> all = new ArrayList<>();
        try {
            for (int i = 0; i < pool.getMaximumPoolSize(); i++) {
                Connection connection = pool.getConnection();
                all.add(connection);
                if (version >= FIRST_VERSION_THAT_REPORTS_AT_ONCE) {
                    try (Statement statement = connection.createStatement()) {
                        statement.execute("SELECT pg_stat_force_next_flush()");
                    }
                }
            }
            try (Statement statement = all.get(0).createStatement();
                    ResultSet rows = statement.executeQuery("SELECT "
                            + (version >= FIRST_VERSION_THAT_COUNTS_LOG_SYNCS
                                    ? "(SELECT coalesce(sum(fsyncs), 0) FROM pg_stat_io WHERE object = 'wal')"
                                    : "'NaN'::float8")
                            + ", pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0'),"
                            + " (SELECT coalesce(sum(idx_blks_read), 0) FROM pg_statio_user_indexes)")) {
                rows.next();
                return new Reported(rows.getDouble(1), rows.getDouble(2), rows.getDouble(3));
            }
        } finally {
            for (Connection connection : all) {
                connection.close();
            }
        }
    }
}
