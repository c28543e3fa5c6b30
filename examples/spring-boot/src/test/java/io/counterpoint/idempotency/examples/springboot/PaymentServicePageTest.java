package io.counterpoint.idempotency.examples.springboot;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.testing.PageProject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The page about a payment service in Spring Boot: its project compiles, and its own tests pass. */
@Tag("thorough")
class PaymentServicePageTest {

    private static final Path PAGE = Path.of("../../docs/payment-service-spring-boot.md");
    private static final Path HERE = Path.of("src/main/java/io/counterpoint/idempotency/examples/springboot");

    @TempDir
    private Path folder;

    /** The page shows the same files that are tested here under all faults. */
    @ParameterizedTest
    @ValueSource(strings = {"CardProvider", "Payment", "Payments", "PaymentController", "PaymentOperation"})
    void filesOfThePageAreThoseOfTheExample(String name) throws IOException {
        String source = Files.readString(HERE.resolve(name + ".java"))
                .replace("package io.counterpoint.idempotency.examples.springboot;", "package bank;");
        assertThat(Files.readString(PAGE))
                .contains("`src/main/java/bank/" + name + ".java`\n\n```java\n" + source + "```\n");
    }

    @Test
    void retriesGetTheFirstAnswer() throws Exception {
        requirePassing("bank.TransferTest");
    }

    @Test
    @Tag("thorough")
    void killedServiceTransfersAndChargesOnce() throws Exception {
        requirePassing("bank.CrashTest");
    }

    private void requirePassing(String test) throws Exception {
        Path classesOfTheExample = Path.of("target/classes").toAbsolutePath();
        Process process = PageProject.of(
                        PAGE, folder, entry -> !Path.of(entry).toAbsolutePath().equals(classesOfTheExample))
                .start(TestRun.class.getName(), test);
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
    }
}
