package io.counterpoint.idempotency.examples.consumer.breaker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ConsumersTest {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(String... args) {
        return Consumers.run(args, new PrintStream(out, true, UTF_8), new PrintStream(err, true, UTF_8));
    }

    @Test
    void helpNamesEveryOption() {
        assertThat(run("--help")).isZero();
        assertThat(out.toString(UTF_8)).contains("--messages", "--broker-kills", "--seed");
    }

    @Test
    void numberOutOfBoundsIsRefusedInOneLine() {
        assertThat(run("--copies", "11")).isEqualTo(2);
        assertThat(err.toString(UTF_8))
                .isEqualTo(
                        "consumer: --copies must be between 1 and 10, found 11. See --help." + System.lineSeparator());
    }

    @Test
    @Tag("matrix")
    @Timeout(3600)
    void eachPaymentIsBookedOnceThoughTheBrokerIsKilledFiveTimes() {
        String messages = System.getProperty("consumer.messages", "20000");
        int exitCode = run("--messages", messages, "--consumer-kills", "4", "--broker-kills", "5", "--seed", "7");
        assertThat(exitCode).as(out.toString(UTF_8)).isZero();
        assertThat(out.toString(UTF_8))
                .containsPattern("brokers killed +5\\s")
                .containsPattern(" s  [0-9,]+ of [0-9,]+ messages")
                .contains("Verified");
    }

    @Test
    @Tag("matrix")
    @Timeout(900)
    void withoutTheInboxPaymentsAreBookedTwice() {
        assertThat(run("--messages", "2000", "--consumer-kills", "0", "--broker-kills", "0", "--unprotected"))
                .isEqualTo(1);
        assertThat(out.toString(UTF_8)).containsPattern("second effects +0 +2,000\\s");
    }
}
