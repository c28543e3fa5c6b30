package io.counterpoint.idempotency.torture;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.testing.PostgresServer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The plain dialect under faults: on a server that is crashed too, or on the one that {@code plain.url} names. */
class PlainTortureTest {

    @TempDir
    Path folder;

    @Test
    @Timeout(300)
    void noPromiseIsBroken() {
        List<String> arguments = new ArrayList<>(
                List.of("--modes", "plain-claim-first,plain-single,plain-single-planned", "--no-mutants"));
        arguments.addAll(List.of("--seconds", System.getProperty("plain.seconds", "10")));
        Optional<String> lent = PostgresServer.isExternal()
                ? Optional.of(PostgresServer.shared().createDatabase())
                : Optional.empty();
        Optional.ofNullable(System.getProperty("plain.url"))
                .or(() -> lent)
                .ifPresent(url -> arguments.addAll(List.of("--url", url)));
        passes(folder, arguments);
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
