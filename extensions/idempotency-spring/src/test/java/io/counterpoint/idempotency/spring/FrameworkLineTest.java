package io.counterpoint.idempotency.spring;

import static org.assertj.core.api.Assertions.assertThat;

import org.hibernate.Version;
import org.junit.jupiter.api.Test;
import org.springframework.core.SpringVersion;

/** The build tests with another line of the framework than it compiles with. This shows that it does. */
class FrameworkLineTest {

    private static final String LINE = System.getProperty("idempotency.spring-line", "7.0");

    @Test
    void testsRunWithTheLineThatTheBuildNames() {
        assertThat(SpringVersion.getVersion()).startsWith(LINE + ".");
        assertThat(Version.getVersionString()).startsWith(LINE.equals("7.0") ? "7." : "6.6.");
    }
}
