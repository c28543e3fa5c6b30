package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.testing.PostgresServer;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;

/** What figures depend on besides the code. */
final class Machine {

    private Machine() {}

    /** The server that is measured: it flushes its log at every commit, and is otherwise untuned. */
    static PostgresServer startServer() {
        return PostgresServer.isExternal() ? PostgresServer.shared() : PostgresServer.start("fsync=on");
    }

    static String description(BenchmarkDatabase database) {
        return java() + "; PostgreSQL " + database.text("SHOW server_version") + ", fsync "
                + database.text("SHOW fsync") + ", synchronous_commit " + database.text("SHOW synchronous_commit")
                + (PostgresServer.isExternal() ? ", external." : ", otherwise as installed, on the same machine.");
    }

    static String java() {
        return Runtime.getRuntime().availableProcessors() + " cores, " + System.getProperty("os.name") + " "
                + System.getProperty("os.arch") + "; Java " + Runtime.version();
    }

    static String now() {
        return ZonedDateTime.now(ZoneOffset.UTC).format(DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm 'UTC'"));
    }
}
