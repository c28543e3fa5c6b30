package io.counterpoint.idempotency.programs.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A place that became empty is filled again, also if the first try fails. */
@Tag("thorough")
class ChildProcessesTest {

    private static final String READY = "ready ";
    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** No process can be started with it. */
    private static final String IMPOSSIBLE = "\0";

    private final List<String> arguments = new CopyOnWriteArrayList<>();
    private final CountDownLatch failures = new CountDownLatch(2);
    private ChildProcesses processes;

    /** What a child runs: it says that it works, and ends with its standard input. */
    public static void main(String[] args) throws IOException {
        System.out.println(READY + ProcessHandle.current().pid());
        int unused = System.in.read();
    }

    @BeforeEach
    void start() throws Exception {
        JavaProgram program =
                new JavaProgram("child", ChildProcessesTest.class, READY, List.of("-Xmx32m"), arguments, Map.of());
        processes = ChildProcesses.start(1, program, Duration.ofSeconds(10), line -> {
            if (line.startsWith("no child can be started, trying again: ")) {
                failures.countDown();
            }
        });
        assertThat(processes.await(working -> working.size() == 1, MINUTE)).isTrue();
    }

    @AfterEach
    void close() {
        processes.close();
    }

    private long pid() {
        return processes.working().get(0).pid();
    }

    @Test
    void killedProcessIsReplaced() throws Exception {
        long killed = pid();
        assertThat(processes.kill(killed)).isTrue();
        assertThat(processes.await(
                        working -> working.size() == 1 && working.get(0).pid() != killed, MINUTE))
                .isTrue();
        assertThat(processes.replaced()).isOne();
        assertThat(processes.kill(killed)).isFalse();
    }

    @Test
    void replacementThatCannotBeStartedIsTriedAgain() throws Exception {
        long killed = pid();
        arguments.add(IMPOSSIBLE);
        assertThat(processes.kill(killed)).isTrue();
        assertThat(failures.await(60, TimeUnit.SECONDS))
                .as("it was tried twice")
                .isTrue();
        assertThat(processes.working()).isEmpty();
        assertThat(processes.replaced()).isZero();
        arguments.clear();
        assertThat(processes.await(working -> working.size() == 1, MINUTE)).isTrue();
        assertThat(processes.replaced()).isOne();
    }
}
