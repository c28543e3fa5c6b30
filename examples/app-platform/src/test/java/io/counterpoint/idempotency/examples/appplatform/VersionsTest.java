package io.counterpoint.idempotency.examples.appplatform;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.examples.appplatform.TestPlatform.On;
import java.time.Duration;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Two nodes whose caches hear of nothing: no event is handed on. */
@ParameterizedClass
@EnumSource
class VersionsTest {

    private static final String HERE = "Workspace: 1";
    private static final Pattern TAG = Pattern.compile("ETag: \"([0-9]+)\"", Pattern.CASE_INSENSITIVE);

    @Parameter
    On kind;

    private TestPlatform test;
    private Platform other;
    private Api api;

    @BeforeEach
    void open() throws Exception {
        test = TestPlatform.idle(kind);
        other = new Platform(
                test.database,
                TestPlatform.outside(),
                new Platform.Times(Duration.ofHours(1), Duration.ofMinutes(1), Duration.ofHours(1)),
                step -> {},
                line -> {});
        api = new Api(other, 0, Operator.none(), line -> {});
    }

    @AfterEach
    void close() {
        api.close();
        other.close();
        test.close();
    }

    private static long tag(Raw answer) {
        Matcher tag = TAG.matcher(answer.text());
        assertThat(tag.find()).as(answer.text()).isTrue();
        return Long.parseLong(tag.group(1));
    }

    private Raw post(String path, String body) throws Exception {
        return Raw.send(test.url(), "POST", path, body, HERE, "Idempotency-Key: k");
    }

    private static Raw get(String url, UUID app, String... headers) throws Exception {
        return Raw.send(url, "GET", "/apps/" + app, "", headers);
    }

    @Test
    void answersOfWritesCarryTheVersionForAReadAtAnyNode() throws Exception {
        Raw created = post("/apps", "{\"name\":\"app\"}");
        assertThat(tag(created)).isEqualTo(1);
        UUID app = UUID.fromString(test.one("SELECT id FROM app"));
        for (String url : new String[] {test.url(), api.url()}) {
            assertThat(tag(get(url, app, HERE, "Min-Version: 1"))).isEqualTo(1);
        }
        long written = 1;
        for (String path : new String[] {"/publications", "/databases"}) {
            Raw answer = post(path, "{\"app\":\"" + app + "\"}");
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.text()).contains("\"version\":" + tag(answer));
            // It is kept for 30 s at most, and this machine may be slow.
            assertThat(tag(get(api.url(), app, HERE)))
                    .as("what the other node knows")
                    .isBetween(written, tag(answer));
            assertThat(tag(get(test.url(), app, HERE)))
                    .as("where it was written")
                    .isEqualTo(tag(answer));
            Raw read = get(api.url(), app, HERE, "Min-Version: " + tag(answer));
            assertThat(tag(read)).isEqualTo(tag(answer));
            written = tag(answer);
        }
    }

    @Test
    void replayedWriteSaysTheSameVersion() throws Exception {
        assertThat(tag(post("/apps", "{\"name\":\"app\"}"))).isEqualTo(1);
        assertThat(tag(post("/apps", "{\"name\":\"app\"}"))).isEqualTo(1);
    }
}
