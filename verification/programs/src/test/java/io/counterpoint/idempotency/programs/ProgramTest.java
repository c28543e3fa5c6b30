package io.counterpoint.idempotency.programs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.UnknownHostException;
import java.nio.file.NoSuchFileException;
import org.junit.jupiter.api.Test;

class ProgramTest {

    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(Program.Work work) {
        return new Program("program", 3).run(new PrintStream(err, true, UTF_8), work);
    }

    @Test
    void exitCodeIsThatOfTheWork() {
        assertThat(run(() -> 1)).isEqualTo(1);
        assertThat(err.toString(UTF_8)).isEmpty();
    }

    @Test
    void refusalIsOneLineAndTheProgramsExitCode() {
        int exitCode = run(() -> {
            throw new CannotRun("There is no such file.");
        });
        assertThat(exitCode).isEqualTo(3);
        assertThat(err.toString(UTF_8))
                .isEqualTo("program: There is no such file. See --help." + System.lineSeparator());
    }

    @Test
    void failureIsOneLineWithItsRootCause() {
        int exitCode = run(() -> {
            throw new IllegalStateException("outer", new IOException("The cause.\nMore about it."));
        });
        assertThat(exitCode).isEqualTo(3);
        assertThat(err.toString(UTF_8)).isEqualTo("program: Gave up: The cause. See --help." + System.lineSeparator());
    }

    @Test
    void interruptedProgramStaysInterrupted() {
        int exitCode = run(() -> {
            throw new InterruptedException();
        });
        assertThat(exitCode).isEqualTo(3);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void rootMessageNamesWhatHasAMereNameForAMessage() {
        assertThat(CannotRun.rootMessage(new UnknownHostException("db"))).isEqualTo("UnknownHostException db");
        assertThat(CannotRun.rootMessage(new NoSuchFileException("a.csv"))).isEqualTo("NoSuchFileException a.csv");
        assertThat(CannotRun.rootMessage(new IllegalStateException())).isEqualTo("IllegalStateException");
    }
}
