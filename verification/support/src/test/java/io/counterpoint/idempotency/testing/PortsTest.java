package io.counterpoint.idempotency.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PortsTest {

    /** By chance alone some would come twice. */
    @Test
    void noPortIsGivenOutTwice() {
        List<Integer> ports = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            ports.add(Ports.take());
        }
        assertThat(ports).doesNotHaveDuplicates();
    }

    @Test
    void portOfAnotherProcessIsNotGivenOut() throws Exception {
        String java = ProcessHandle.current().info().command().orElseThrow();
        Process other = new ProcessBuilder(
                        java, "-cp", System.getProperty("java.class.path"), TakesPorts.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (var output = other.inputReader();
                var input = other.outputWriter()) {
            List<Integer> theirs = new ArrayList<>();
            for (int i = 0; i < TakesPorts.MANY; i++) {
                theirs.add(Integer.valueOf(output.readLine()));
            }
            List<Integer> ours = new ArrayList<>();
            for (int i = 0; i < TakesPorts.MANY; i++) {
                ours.add(Ports.take());
            }
            assertThat(ours).doesNotContainAnyElementsOf(theirs);
        }
        assertThat(other.waitFor()).isZero();
    }

    /** A program that keeps its ports until its input ends. */
    static final class TakesPorts {
        static final int MANY = 1_000;

        public static void main(String[] arguments) throws Exception {
            for (int i = 0; i < MANY; i++) {
                System.out.println(Ports.take());
            }
            int unused = System.in.read();
        }
    }
}
