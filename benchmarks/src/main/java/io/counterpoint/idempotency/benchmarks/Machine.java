package io.counterpoint.idempotency.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.lang.management.ManagementFactory;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;

/** What figures depend on besides the code. */
final class Machine {

    private Machine() {}

    /** The server that is measured: its log is flushed at every commit, and nothing else is tuned. */
    static PostgresServer startServer() {
        return startServer("fsync=on");
    }

    /**
     * The same for tables of gigabytes, with a quarter of the memory for its pages, as PostgreSQL's manual advises. The
     * 128 MB of one that is as installed are made for a laptop.
     */
    static PostgresServer startServerForLargeTables() {
        return startServer("fsync=on", "shared_buffers=" + memoryMegabytes() / 4 + "MB");
    }

    private static PostgresServer startServer(String... settings) {
        return PostgresServer.isExternal() ? PostgresServer.shared() : PostgresServer.start(settings);
    }

    private static long memoryMegabytes() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getTotalMemorySize() >> 20;
    }

    static String description(Database database) {
        return java() + "; PostgreSQL " + database.text("SHOW server_version") + ", fsync "
                + database.text("SHOW fsync") + ", synchronous_commit " + database.text("SHOW synchronous_commit")
                + ", shared_buffers " + database.text("SHOW shared_buffers")
                + (PostgresServer.isExternal() ? ", elsewhere." : ", otherwise as installed, on the same machine.");
    }

    static String java() {
        return Runtime.getRuntime().availableProcessors() + " cores, " + System.getProperty("os.name") + " "
                + System.getProperty("os.arch") + "; Java " + Runtime.version();
    }

    static String now() {
        return ZonedDateTime.now(ZoneOffset.UTC).format(DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm 'UTC'"));
    }
}
