package io.counterpoint.idempotency.examples.appplatform;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.programs.CannotRun;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The URL of a Redis-compatible server is parsed or rejected, and its password is never shown. */
class RedisAddressTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://127.0.0.1:7000",
                "redis://[::1]:7000",
                "redis://cache:65535/3",
                "redis://:se+cret@cache:7000",
                "redis://node:a%3Ab%40c@cache:7000/3"
            })
    void urlIsTakenAsItIs(String url) throws CannotRun {
        assertThat(RedisChannel.address(url)).contains(URI.create(url));
    }

    @Test
    void emptyTextIsNone() throws CannotRun {
        assertThat(RedisChannel.address("")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cache:6379",
                "http://:secret@cache:7000",
                "rediss://:secret@cache:7000",
                "redis://",
                "redis://:secret@",
                "redis:cache",
                "redis://secret@cache:7000",
                "redis://cache",
                "redis://:secret@cache:0",
                "redis://:secret@cache:65536",
                "redis://:secret@cache:port",
                "redis://:secret@cache:7000/name",
                "redis://:secret@cache:7000?timeout=1",
                "redis://:sec ret@cache:7000",
                "redis://:se%cret@cache:7000"
            })
    void otherUrlIsRefusedAndNotRepeated(String url) {
        assertThatThrownBy(() -> RedisChannel.address(url))
                .isInstanceOf(CannotRun.class)
                .hasMessageStartingWith("The URL of Redis must be redis://user:password@host:port/database")
                .hasMessageEndingWith(".")
                .hasMessageNotContaining("secret");
    }

    @Test
    void addressReachesAnotherProcessInTheEnvironment() throws CannotRun {
        for (String url : new String[] {"redis://node:secret@cache:7000/3", ""}) {
            Outside outside = Outside.none().with(RedisChannel.address(url));
            Map<String, String> environment = new HashMap<>();
            outside.into(environment);
            assertThat(Outside.from(environment).redis()).isEqualTo(outside.redis());
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    serve --redis-url http://:secret@cache | The URL of Redis must be
                    tour --redis-url redis://secret@cache  | The URL of Redis must be
                    check --redis-url redis://cache        | --redis-url goes with tour and serve only.
                    """)
    void programRefusesItInOneLine(String arguments, String expected) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int exitCode = AppPlatform.run(
                arguments.split(" "),
                new PrintStream(out, true, UTF_8),
                new PrintStream(err, true, UTF_8),
                new CountDownLatch(0));
        assertThat(exitCode).isEqualTo(3);
        assertThat(out.toString(UTF_8)).isEmpty();
        assertThat(err.toString(UTF_8))
                .hasLineCount(1)
                .startsWith("app-platform: " + expected)
                .doesNotContain("secret");
    }
}
