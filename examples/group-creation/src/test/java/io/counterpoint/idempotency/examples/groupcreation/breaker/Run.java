package io.counterpoint.idempotency.examples.groupcreation.breaker;

import io.counterpoint.idempotency.testing.MariaDbServer;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** A run of the program, and what it printed. */
record Run(int exitCode, String out, String err) {

    /** The databases on which the program can run. */
    enum On {
        H2,
        POSTGRESQL,
        MARIADB;

        /** The arguments for new, empty databases. */
        List<String> arguments(List<String> others) {
            return switch (this) {
                case H2 -> List.of();
                case POSTGRESQL -> List.of("--jdbc-url", PostgresServer.shared().createDatabase());
                case MARIADB ->
                    others.contains(Protocol.EXTERNAL.toString())
                            ? List.of("--jdbc-url", onMariaDb(), "--groups-jdbc-url", onMariaDb())
                            : List.of("--jdbc-url", onMariaDb());
            };
        }

        private static String onMariaDb() {
            return MariaDbServer.shared().createDatabase();
        }
    }

    static Run of(On database, String... arguments) {
        List<String> all = new ArrayList<>(database.arguments(List.of(arguments)));
        all.addAll(List.of(arguments));
        return of(all.toArray(String[]::new));
    }

    static Run of(String... arguments) {
        return of(new AtomicBoolean(), arguments);
    }

    static Run of(AtomicBoolean stopped, String... arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int exitCode = GroupCreation.run(
                arguments,
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                stopped);
        return new Run(exitCode, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    /** The output with runs of spaces collapsed, so that tests don't depend on column widths. */
    String text() {
        return out.replaceAll(" +", " ");
    }
}
