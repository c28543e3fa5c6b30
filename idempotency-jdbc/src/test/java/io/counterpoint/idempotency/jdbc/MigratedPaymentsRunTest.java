package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.jdbc.guide.PaymentsNode;
import io.counterpoint.idempotency.testing.PostgresServer;
import io.counterpoint.idempotency.testing.bridge.BridgeRun;
import io.counterpoint.idempotency.testing.bridge.ChangedClass;
import io.counterpoint.idempotency.testing.bridge.NodeKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
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
import org.postgresql.ds.PGSimpleDataSource;

/** The way from a key table of one's own as a program: versions side by side, in processes that are killed. */
@Tag("thorough")
@Timeout(300)
class MigratedPaymentsRunTest {

    private static final NodeKind OLD = new NodeKind("old", PaymentsNode.class.getName(), "", true);
    private static final NodeKind BRIDGE = new NodeKind("bridge", PaymentsNode.class.getName(), "", false);
    private static final NodeKind AFTER = new NodeKind("after", PaymentsNode.class.getName(), "", false);

    @TempDir
    private Path folder;

    private String url;

    @BeforeEach
    void tablesOfThePage() throws Exception {
        url = PostgresServer.shared().createDatabase();
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(url);
        JdbcIdempotencyStore.on(source).createTableIfMissing();
        Matcher table = Pattern.compile("(?s)```sql\n(CREATE TABLE processed_request.*?)```")
                .matcher(Files.readString(Path.of("../docs/live-service.md")));
        assertThat(table.find()).isTrue();
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute(table.group(1));
            statement.execute("CREATE TABLE payment (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"
                    + " user_id text, cents bigint, receipt text)");
        }
    }

    @AfterEach
    void giveBack() {
        PostgresServer.shared().giveBack(url);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void eachKeyHasOneEffectAndOneAnswerOnTheWholeWay(int seed) throws Exception {
        try (BridgeRun run = new BridgeRun(url, seed)) {
            assertThat(run.run(OLD, OLD, 1)).isEmpty();
            assertThat(run.run(OLD, BRIDGE, 4)).isEmpty();
            assertThat(run.run(BRIDGE, AFTER, 2)).isEmpty();
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
                    failures are not released,  .releaseOn(thrown -> true),    '',              'no effect, it was said'
                    abandoned keys are failed,  Abandoned.TAKE_OVER,           Abandoned.FAIL,  'no effect, it was said'
                    requests are not compared,  if (paid != cents),            if (paid < 0),   an answer for a request that was not booked
                    """)
    void bridgeWithoutOneOfItsPartsIsFound(String mistake, String part, String instead, String seen) throws Exception {
        Path source = Path.of("src/test/java/io/counterpoint/idempotency/jdbc/guide/MigratedPayments.java");
        ChangedClass.compile(source, part, instead, folder);
        NodeKind changed = new NodeKind("bridge", PaymentsNode.class.getName(), folder.toString(), false);
        try (BridgeRun run = new BridgeRun(url, 1)) {
            assertThat(run.run(OLD, changed, 6))
                    .as(mistake)
                    .anySatisfy(wrong -> assertThat(wrong).startsWith(seen));
        }
    }
}
