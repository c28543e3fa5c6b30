package io.counterpoint.idempotency.spring.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import io.counterpoint.idempotency.testing.PostgresServer;
import io.counterpoint.idempotency.testing.bridge.BridgeRun;
import io.counterpoint.idempotency.testing.bridge.ChangedClass;
import io.counterpoint.idempotency.testing.bridge.NodeKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** The way from a key table of one's own with Spring and JPA: versions side by side, in processes that are killed. */
@Tag("thorough")
@Timeout(300)
class BridgeOfEntitiesTest {

    static final Path PAGE = Path.of("../../docs/live-service.md");
    static final Path SOURCE = Path.of("src/test/java/io/counterpoint/idempotency/spring/bridge/MigratedPayments.java");
    private static final NodeKind OLD = new NodeKind("old", PaymentsNode.class.getName(), "", true);
    private static final NodeKind BRIDGE = new NodeKind("bridge", PaymentsNode.class.getName(), "", false);
    private static final NodeKind AFTER = new NodeKind("after", PaymentsNode.class.getName(), "", false);

    @TempDir
    private Path folder;

    private String url;

    @BeforeEach
    void tablesOfThePage() throws Exception {
        url = PostgresServer.shared().createDatabase();
        DriverManagerDataSource source = new DriverManagerDataSource(url);
        JdbcIdempotencyStore.on(source).createTableIfMissing();
        Matcher table = Pattern.compile("(?s)```sql\n(CREATE TABLE processed_request.*?)```")
                .matcher(Files.readString(PAGE));
        assertThat(table.find()).isTrue();
        JdbcTemplate jdbc = new JdbcTemplate(source);
        jdbc.execute(table.group(1));
        jdbc.execute("CREATE TABLE payment (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"
                + " user_id text, cents bigint, receipt text)");
    }

    @AfterEach
    void giveBack() {
        PostgresServer.shared().giveBack(url);
    }

    @ParameterizedTest
    @ValueSource(ints = 1)
    void eachKeyHasOneEffectAndOneAnswerOnTheWholeWay(int seed) throws Exception {
        try (BridgeRun run = new BridgeRun(url, seed)) {
            assertThat(run.run(OLD, OLD, 1)).isEmpty();
            assertThat(run.run(OLD, BRIDGE, 2)).isEmpty();
            assertThat(run.run(BRIDGE, AFTER, 1)).isEmpty();
        }
    }

    /** That is why the bridge stays for the retention. */
    @Test
    void keyThatOnlyTheOldTableKnowsHasASecondEffectWithoutTheBridge() throws Exception {
        try (BridgeRun run = new BridgeRun(url, 1)) {
            assertThat(run.run(OLD, OLD, 1)).isEmpty();
            assertThat(run.run(AFTER, AFTER, 0))
                    .anySatisfy(wrong -> assertThat(wrong).startsWith("2 effects"));
        }
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
                    failures are not released,  'releaseOn = Throwable.class,', '',              'no effect, it was said'
                    abandoned keys are failed,  Abandoned.TAKE_OVER,            Abandoned.FAIL,  'no effect, it was said'
                    requests are not compared,  if (paid != cents),             if (paid < 0),   an answer for a request that was not booked
                    """)
    void bridgeWithoutOneOfItsPartsIsFound(String mistake, String part, String instead, String seen) throws Exception {
        ChangedClass.compile(SOURCE, part, instead, folder);
        NodeKind changed = new NodeKind("bridge", PaymentsNode.class.getName(), folder.toString(), false);
        try (BridgeRun run = new BridgeRun(url, 1)) {
            assertThat(run.run(OLD, changed, 6))
                    .as(mistake)
                    .anySatisfy(wrong -> assertThat(wrong).startsWith(seen));
        }
    }
}
