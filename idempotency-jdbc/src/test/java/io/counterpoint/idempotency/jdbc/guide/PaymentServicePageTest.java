package io.counterpoint.idempotency.jdbc.guide;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.testing.PageProject;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The programs of the page about a payment service in plain Java, in processes, with the commands that it shows. */
@Tag("thorough")
class PaymentServicePageTest {

    private static final Path PAGE = Path.of("../docs/payment-service-java.md");

    /** A command of the page, and the lines that it prints. */
    private static final Pattern COMMAND =
            Pattern.compile("(?m)^java (-Dpause=true )?PaymentService (.*)\\n((?:# .*\\n)*)");

    @TempDir
    private Path folder;

    private PageProject project;
    private String provider;

    @BeforeEach
    void compile() throws IOException {
        project = PageProject.of(PAGE, folder, entry -> true);
        try (ServerSocket free = new ServerSocket(0)) {
            provider = "-Dprovider=" + free.getLocalPort();
        }
    }

    @Test
    void commandsOfThePagePrintWhatItShows() throws Exception {
        Process stub = project.start(provider, "Provider");
        try {
            assertThat(stub.inputReader(UTF_8).readLine()).isEqualTo("Listening");
            List<MatchResult> commands =
                    COMMAND.matcher(Files.readString(PAGE)).results().toList();
            assertThat(commands).hasSizeGreaterThan(8);
            for (MatchResult command : commands) {
                String shown = command.group(3).replace("# ", "").strip();
                if (command.group(1) != null) {
                    killInTheMiddle(command);
                } else {
                    Process run = project.start(arguments(command));
                    assertThat(run.inputReader(UTF_8).lines()).containsExactly(shown);
                }
            }
        } finally {
            stub.destroyForcibly();
        }
    }

    private void killInTheMiddle(MatchResult command) throws Exception {
        Process paused = project.start(arguments(command));
        try {
            assertThat(paused.inputReader(UTF_8).readLine())
                    .isEqualTo("Debited, not yet credited: kill -9 " + paused.pid());
        } finally {
            paused.destroyForcibly();
        }
        assertThat(paused.onExit().join().exitValue()).isNotZero();
    }

    /** Those of a command, in which quotes keep blanks together. */
    private String[] arguments(MatchResult command) {
        List<String> words = new ArrayList<>(List.of(provider));
        if (command.group(1) != null) {
            words.add("-Dpause=true");
        }
        words.add("PaymentService");
        Pattern.compile("\"([^\"]*)\"|\\S+")
                .matcher(command.group(2))
                .results()
                .forEach(word -> words.add(word.group(1) == null ? word.group() : word.group(1)));
        return words.toArray(String[]::new);
    }
}
