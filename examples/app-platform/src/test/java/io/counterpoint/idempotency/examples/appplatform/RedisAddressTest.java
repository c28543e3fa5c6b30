package io.counterpoint.idempotency.examples.appplatform;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.programs.CannotRun;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The URL of a server of the Redis protocol is understood or refused, and its password is shown to nobody. */
class RedisAddressTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", emptyValue = "", textBlock = """
                    redis://cache                         | cache     | 6379 | 0 | ''    | ''
                    redis://127.0.0.1:7000                | 127.0.0.1 | 7000 | 0 | ''    | ''
                    redis://cache/                        | cache     | 6379 | 0 | ''    | ''
                    redis://cache:7000/3                  | cache     | 7000 | 3 | ''    | ''
                    redis://:se+cret@cache                | cache     | 6379 | 0 | ''    | se+cret
                    redis://node:a%3Ab%40c@cache:7000/3   | cache     | 7000 | 3 | node  | a:b@c
                    """)
    void urlSaysWhereTheServerIsAndWhoConnects(
            String url, String host, int port, int database, String user, String password) throws CannotRun {
        assertThat(RedisAddress.parse(url)).isEqualTo(new RedisAddress(url, host, port, database, user, password));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "cache:6379",
                "http://:secret@cache",
                "rediss://:secret@cache",
                "redis://",
                "redis://:secret@",
                "redis:cache",
                "redis://secret@cache",
                "redis://:secret@cache:0",
                "redis://:secret@cache:65536",
                "redis://:secret@cache:port",
                "redis://:secret@cache/name",
                "redis://:secret@cache?timeout=1",
                "redis://:sec ret@cache",
                "redis://:se%cret@cache"
            })
    void otherUrlIsRefusedAndNotRepeated(String url) {
        assertThatThrownBy(() -> RedisAddress.parse(url))
                .isInstanceOf(CannotRun.class)
                .hasMessageStartingWith("The URL of Redis has to be redis://user:password@host:port/database")
                .hasMessageEndingWith(".")
                .hasMessageNotContaining("secret");
    }

    @Test
    void textHasNeitherUserNorPassword() throws CannotRun {
        assertThat(RedisAddress.parse("redis://node:secret@cache:7000/3")).hasToString("redis://cache:7000/3");
    }

    @Test
    void addressReachesAnotherProcessInTheEnvironment() throws CannotRun {
        Map<String, String> environment = new HashMap<>(Map.of(RedisAddress.VARIABLE, "redis://of-the-parent"));
        Optional<RedisAddress> address = Optional.of(RedisAddress.parse("redis://node:secret@cache:7000/3"));
        RedisAddress.into(environment, address);
        assertThat(RedisAddress.from(environment)).isEqualTo(address);
        RedisAddress.into(environment, Optional.empty());
        assertThat(RedisAddress.from(environment)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    serve --redis-url http://:secret@cache | The URL of Redis has to be
                    tour --redis-url redis://secret@cache  | The URL of Redis has to be
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
