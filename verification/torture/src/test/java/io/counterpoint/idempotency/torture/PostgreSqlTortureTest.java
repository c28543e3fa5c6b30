package io.counterpoint.idempotency.torture;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.testing.PostgresServer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Some seconds of the torture, on a server that is crashed too. */
@Tag("thorough")
class PostgreSqlTortureTest {

    @TempDir
    Path folder;

    @Test
    @Timeout(300)
    void noPromiseIsBroken() {
        if (!PostgresServer.isExternal()) {
            passes(folder, List.of("--modes claim-first,single,single-planned --no-mutants --seconds 10".split(" ")));
        }
    }

    /** Runs the program, and shows what it prints. */
    static void passes(Path folder, List<String> arguments) {
        List<String> all = new ArrayList<>(arguments);
        all.addAll(List.of("--out", folder.toString()));
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(printed, true, UTF_8);
        int exitCode = Torture.run(all.toArray(String[]::new), out, out, new AtomicBoolean());
        System.out.println(printed.toString(UTF_8));
        assertThat(exitCode).as(printed.toString(UTF_8)).isZero();
    }
}
