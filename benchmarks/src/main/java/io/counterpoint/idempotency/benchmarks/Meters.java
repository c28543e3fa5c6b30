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
 * What calls cost besides time: processor time of this process and of all processes of the server, and flushes of the
 * server's log. A figure that this machine or this server does not give is not a number.
 */
final class Meters {

    /** Where Linux reports the nanoseconds that a process has run. */
    private static final Path PROC = Path.of("/proc");

    private static final int FIRST_VERSION_THAT_COUNTS_LOG_SYNCS = 18;

    private final HikariDataSource pool;
    private final long postmaster;
    private final boolean countsSyncs;
    private final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /** Meters of the server behind a pool; {@code postmaster} is 0 if its processes are not to be seen from here. */
    private Meters(HikariDataSource pool, long postmaster, boolean countsSyncs) {
        this.pool = pool;
        this.postmaster = postmaster;
        this.countsSyncs = countsSyncs;
    }

    static Meters of(Database database) {
        long backend = database.number("SELECT pg_backend_pid()");
        int version = (int) database.number("SELECT current_setting('server_version_num')::int / 10000");
        return new Meters(database.pool(), postmasterOf(backend), version >= FIRST_VERSION_THAT_COUNTS_LOG_SYNCS);
    }

    private static long postmasterOf(long backend) {
        try {
            return Files.readString(PROC.resolve(backend + "/comm")).startsWith("postgres") ? parentOf(backend) : 0;
        } catch (IOException notOnThisMachine) {
            return 0;
        }
    }

    /** Reads the meters before something is measured: what reading itself costs is over then. */
    Reading before() throws SQLException {
        double syncs = syncs();
        return new Reading(system.getProcessCpuTime(), serverNanos(), syncs);
    }

    /** Reads the meters after something was measured, first what reading costs. */
    Reading after() throws SQLException {
        long client = system.getProcessCpuTime();
        Map<Long, Long> server = serverNanos();
        return new Reading(client, server, syncs());
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

    /** Backends report their counts about once in a second, unless they are asked to at once. */
    private double syncs() throws SQLException {
        if (!countsSyncs) {
            return Double.NaN;
        }
        List<Connection> all = new ArrayList<>();
        try {
            for (int i = 0; i < pool.getMaximumPoolSize(); i++) {
                Connection connection = pool.getConnection();
                all.add(connection);
                try (Statement statement = connection.createStatement()) {
                    statement.execute("SELECT pg_stat_force_next_flush()");
                }
            }
            try (Statement statement = all.get(0).createStatement();
                    ResultSet rows = statement.executeQuery(
                            "SELECT coalesce(sum(fsyncs), 0) FROM pg_stat_io WHERE object = 'wal'")) {
                rows.next();
                return rows.getDouble(1);
            }
        } finally {
            for (Connection connection : all) {
                connection.close();
            }
        }
    }

    /** What the meters show at one moment. */
    record Reading(long clientNanos, Map<Long, Long> serverNanos, double logSyncs) {

        double clientMicrosSince(Reading earlier) {
            return (clientNanos - earlier.clientNanos) / 1e3;
        }

        double serverMicrosSince(Reading earlier) {
            if (serverNanos.isEmpty()) {
                return Double.NaN;
            }
            return serverNanos.entrySet().stream()
                            .mapToLong(process ->
                                    process.getValue() - earlier.serverNanos.getOrDefault(process.getKey(), 0L))
                            .sum()
                    / 1e3;
        }

        double logSyncsSince(Reading earlier) {
            return logSyncs - earlier.logSyncs;
        }
    }
}
