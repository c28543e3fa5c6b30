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

/**
 * The costs of calls besides time: the processor time of this process and of all server processes, and what the server
 * reports about its log and indexes. A figure that this machine or server does not provide is NaN.
 */
final class Meters {

    /** Where Linux reports the nanoseconds for which a process has run. */
    private static final Path PROC = Path.of("/proc");

    /** The first version that reports its counters immediately on request, and counts syncs of the log. */
    private static final int FIRST_VERSION = 18;

    private static final String REPORTED = """
            SELECT (SELECT coalesce(sum(fsyncs), 0) FROM pg_stat_io WHERE object = 'wal'),
                pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0'),
                (SELECT coalesce(sum(idx_blks_read), 0) FROM pg_statio_user_indexes)
            """;

    private final HikariDataSource pool;
    private final long postmaster;
    private final boolean reports;
    private final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /** Meters of the server behind a pool; {@code postmaster} is 0 if its processes are not visible from here. */
    private Meters(HikariDataSource pool, long postmaster, boolean reports) {
        this.pool = pool;
        this.postmaster = postmaster;
        this.reports = reports;
    }

    static Meters of(BenchmarkDatabase database) {
        return new Meters(
                database.pool(),
                postmasterOf(database.number("SELECT pg_backend_pid()")),
                database.number("SELECT current_setting('server_version_num')::int / 10000") >= FIRST_VERSION);
    }

    /** Meters of this process alone, for servers other than PostgreSQL. */
    static Meters ofClient(BenchmarkDatabase database) {
        return new Meters(database.pool(), 0, false);
    }

    /** The number of connections that callers share. */
    int connections() {
        return pool.getMaximumPoolSize();
    }

    /** The parent of a backend, which has to be a PostgreSQL process on this machine. */
    private static long postmasterOf(long backend) {
        return ProcessHandle.of(backend)
                .filter(process -> process.info().command().orElse("").contains("postgres"))
                .flatMap(ProcessHandle::parent)
                .map(ProcessHandle::pid)
                .orElse(0L);
    }

    /** Starts to measure. The cost of reading the meters is not included. */
    Turn begin() throws SQLException {
        Reported reported = reported();
        return new Turn(system.getProcessCpuTime(), serverNanos(), reported);
    }

    /** The readings at the beginning of a variant's turn. */
    final class Turn {
        private final long clientNanos;
        private final Map<Long, Long> serverNanos;
        private final Reported before;

        private Turn(long clientNanos, Map<Long, Long> serverNanos, Reported before) {
            this.clientNanos = clientNanos;
            this.serverNanos = serverNanos;
            this.before = before;
        }

        /** Reads the meters again, starting with those that are affected by reading. */
        Sample.Cost costOfEachOf(long calls) throws SQLException {
            double client = (system.getProcessCpuTime() - clientNanos) / 1e3;
            double server = serverNanos.isEmpty() ? Double.NaN : serverMicros();
            Reported now = reported();
            return new Sample.Cost(
                    client / calls,
                    server / calls,
                    (now.logSyncs - before.logSyncs) / calls,
                    (now.logBytes - before.logBytes) / calls,
                    (now.indexBlocks - before.indexBlocks) / calls);
        }

        private double serverMicros() {
            return serverNanos().entrySet().stream()
                            .mapToLong(process -> process.getValue() - serverNanos.getOrDefault(process.getKey(), 0L))
                            .sum()
                    / 1e3;
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

    private static long nanosOf(long pid) {
        try {
            return Long.parseLong(
                    Files.readString(PROC.resolve(pid + "/schedstat")).split(" ", 2)[0]);
        } catch (IOException gone) {
            return 0;
        }
    }

    /** The server's own counters. */
    private record Reported(double logSyncs, double logBytes, double indexBlocks) {}

    /** Backends report their counters about once a second, or immediately on request. */
    private Reported reported() throws SQLException {
        if (!reports) {
            return new Reported(Double.NaN, Double.NaN, Double.NaN);
        }
        List<Connection> all = new ArrayList<>();
        try {
            for (int i = 0; i < connections(); i++) {
                all.add(pool.getConnection());
                try (Statement statement = all.get(i).createStatement()) {
                    statement.execute("SELECT pg_stat_force_next_flush()");
                }
            }
            try (Statement statement = all.get(0).createStatement();
                    ResultSet rows = statement.executeQuery(REPORTED)) {
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
