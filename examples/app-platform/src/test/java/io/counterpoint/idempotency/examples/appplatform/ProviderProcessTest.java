package io.counterpoint.idempotency.examples.appplatform;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The payment provider runs in its own process, and never outlives its parent. */
@Tag("thorough")
class ProviderProcessTest {

    /** A program that starts a payment provider. */
    static final class Parent {

        private Parent() {}

        public static void main(String[] args) throws Exception {
            try (Outside outside = Outside.process()) {
                System.out.println(outside.providerUrl());
                int unused = System.in.read();
            }
        }
    }

    private static Process parent() throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Parent.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    @Test
    void providerEndsWithAParentThatIsKilled() throws Exception {
        Process parent = parent();
        String url = new BufferedReader(new InputStreamReader(parent.getInputStream(), UTF_8)).readLine();
        assertThat(url).startsWith("http://127.0.0.1:");
        List<ProcessHandle> providers = parent.toHandle().descendants().toList();
        assertThat(providers).hasSize(1);
        try {
            // On Unix this is kill -9, so no code in the parent runs any more.
            assertThat(parent.destroyForcibly().waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(providers.get(0).onExit().get(60, TimeUnit.SECONDS)).isNotNull();
        } finally {
            providers.forEach(ProcessHandle::destroyForcibly);
        }
    }
}
