package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Comparator;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** A PostgreSQL server whose processes run under valgrind, which counts the instructions of each until it exits. */
final class Callgrind implements AutoCloseable {

    private static final Duration LONGEST_END = Duration.ofSeconds(30);
    private static final String HOME = "IDEMPOTENCY_PG_HOME";

    /** Only the server itself is counted, and not short calls such as the query for its version. */
    private static final String POSTGRES = """
            #!/bin/sh
            real=%s
            case "$1" in
                -D) exec valgrind --tool=callgrind --trace-children=yes --callgrind-out-file=%s/%%p "$real" "$@" ;;
                *) exec "$real" "$@" ;;
            esac
            """;

    private final Path folder;
    private final PostgresServer server;

    private Callgrind(Path folder, PostgresServer server) {
        this.folder = folder;
        this.server = server;
    }

    static Callgrind start(String... settings) throws IOException, CannotRun {
        if (PostgresServer.isExternal()) {
            throw new CannotRun("Instructions are counted on a server that this program starts: unset "
                    + PostgresServer.URL_VARIABLE + ".");
        }
        boolean isThere = Stream.of(String.valueOf(System.getenv("PATH")).split(":", -1))
                .anyMatch(path -> Files.isExecutable(Path.of(path, "valgrind")));
        if (!isThere) {
            throw new CannotRun("There is no valgrind on this machine: install the package valgrind.");
        }
        Path folder = Files.createTempDirectory(
                "callgrind", PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxrwxrwx")));
        // If this process is root, the server runs as another user.
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        System.setProperty(HOME, home(folder).toString());
        try {
            return new Callgrind(folder, PostgresServer.start(settings));
        } finally {
            System.clearProperty(HOME);
        }
    }

    /** The same programs, except for the server's. */
    private static Path home(Path folder) throws IOException {
        Path real = PostgresServer.home();
        Path home = folder.resolve("home");
        Path unused = Files.createDirectories(home.resolve("bin"));
        Files.createSymbolicLink(home.resolve("lib"), real.resolve("lib"));
        Files.createSymbolicLink(home.resolve("share"), real.resolve("share"));
        Files.copy(real.resolve("bin/initdb"), home.resolve("bin/initdb"));
        Path server = Files.copy(real.resolve("bin/postgres"), home.resolve("bin/postgres.real"));
        Path script = Files.writeString(home.resolve("bin/postgres"), POSTGRES.formatted(server, folder));
        for (Path readable : new Path[] {home, home.resolve("bin"), home.resolve("bin/initdb"), server, script}) {
            Files.setPosixFilePermissions(readable, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        return home;
    }

    PostgresServer server() {
        return server;
    }

    /** The number of instructions executed by a server process that is exiting. */
    double totalOf(int process) throws IOException {
        long end = System.nanoTime() + LONGEST_END.toNanos();
        while (System.nanoTime() < end) {
            Path file = folder.resolve(Integer.toString(process));
            if (Files.exists(file)) {
                for (String line : Files.readAllLines(file)) {
                    if (line.startsWith("totals: ")) {
                        return Double.parseDouble(
                                line.substring("totals: ".length()).trim());
                    }
                }
            }
            LockSupport.parkNanos(10_000_000);
        }
        throw new IllegalStateException("Process " + process + " of the server has not told its instructions.");
    }

    @Override
    public void close() throws IOException {
        server.close();
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
