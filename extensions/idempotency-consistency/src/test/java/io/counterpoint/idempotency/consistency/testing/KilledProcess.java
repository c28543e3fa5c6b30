package io.counterpoint.idempotency.consistency.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.counterpoint.idempotency.consistency.testing.TestDatabase.Kind;
import io.counterpoint.idempotency.testing.MariaDbServer;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

/** A program in a process of its own that is killed with {@code kill -9} where it asks for it. */
public final class KilledProcess {

    private static final String HERE = "Kill me here.";

    private KilledProcess() {}

    /** Runs a main method, with the class path of this process, and kills it where it waits. */
    public static void run(Class<?> program, String... arguments) throws IOException {
        Process process = new ProcessBuilder(Stream.concat(
                                Stream.of(
                                        Path.of(System.getProperty("java.home"), "bin", "java")
                                                .toString(),
                                        "-XX:+UseSerialGC",
                                        "-XX:TieredStopAtLevel=1",
                                        "-cp",
                                        System.getProperty("java.class.path"),
                                        program.getName()),
                                Stream.of(arguments))
                        .toList())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String line;
        try (BufferedReader output = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
            line = output.readLine();
        } finally {
            process.destroyForcibly();
        }
        if (!HERE.equals(line) || process.onExit().join().exitValue() == 0) {
            throw new AssertionError("The process did not wait to be killed, and wrote: " + line);
        }
    }

    /** Called by the program where it is to be killed. */
    public static void waitHere() {
        System.out.println(HERE);
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * A new database for several processes, one after the other. H2 needs settings: not to lose what it has acknowledged,
     * and not to let a dead process lock its file.
     */
    public static String newDatabase(Kind kind, Path folder) {
        return switch (kind) {
            case H2 -> "jdbc:h2:file:" + folder.resolve("database") + ";WRITE_DELAY=0;FILE_LOCK=FS";
            case POSTGRESQL -> PostgresServer.shared().createDatabase();
            case MARIADB -> MariaDbServer.shared().createDatabase();
        };
    }
}
