package io.counterpoint.idempotency.examples.appplatform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The declarations in the transaction table, verified in the database: what commits together, and at which isolation
 * level.
 */
class TogetherTest {

    private TestPlatform test;
    private UUID app;

    @BeforeEach
    void open() throws Exception {
        test = TestPlatform.idle();
        app = create("app");
    }

    @AfterEach
    void close() {
        test.close();
    }

    private static Attempt attempt(String key) {
        return Attempt.inScope("workspace:1").key(key).withoutRequest();
    }

    private UUID create(String name) throws Refusal {
        return test.platform.createApp.execute(attempt(name), 1, name).orElseThrow();
    }

    private Object run(String operation) throws Refusal {
        return switch (operation) {
            case "create" -> create("another");
            case "publish" -> test.platform.publishApp.execute(1, app);
            case "provision" -> test.platform.provisionDatabase.execute(1, app);
            case "trigger" ->
                test.platform.triggerExecution.execute(attempt("t"), 1, app).orElseThrow();
            case "charge" ->
                test.platform.chargePayment.execute(attempt("c"), 1, "c", 10).orElseThrow();
            default -> throw new AssertionError(operation);
        };
    }

    /** The isolation level of each transaction that changes the table. */
    @ParameterizedTest
    @CsvSource({
        "create,    app_version,   read committed",
        "create,    app,           read committed",
        "publish,   app,           serializable",
        "publish,   app_policy,    serializable",
        "provision, app,           read committed",
        "trigger,   execution,     read committed",
        "trigger,   execution_log, read committed",
        "charge,    workspace,     serializable",
        "charge,    charge,        serializable"
    })
    void tableIsWrittenAtTheDeclaredLevel(String operation, String table, String level) throws Exception {
        test.execute("CREATE TABLE seen (level text NOT NULL)");
        test.execute("CREATE FUNCTION note_level() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN"
                + " INSERT INTO seen VALUES (current_setting(''transaction_isolation'')); RETURN NEW; END'");
        test.execute("CREATE TRIGGER note_level AFTER INSERT OR UPDATE ON " + table
                + " FOR EACH ROW EXECUTE FUNCTION note_level()");

        assertThat(run(operation)).isNotNull();

        assertThat(test.some("SELECT DISTINCT level FROM seen", 9)).containsExactly(level);
    }

    /** The last table that an operation writes rejects its row. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    create  | outbox_event  | topic <> 'search'  | app, app_version, app_by_user, outbox_event
                    create  | app_version   | number < 1         | app, app_by_user, outbox_event
                    publish | app_policy    | access = 'nobody'  | app WHERE status = 'published' OR artifact IS NOT NULL
                    trigger | execution_log | line > 0           | execution, outbox_event
                    charge  | charge        | amount > 1000      | workspace WHERE quota_left < 150
                    """)
    void operationWhoseLastWriteIsRefusedLeavesNothing(
            String operation, String refusing, String condition, String written) {
        String[] tables = written.contains(" WHERE ") ? new String[] {written} : written.split(", ");
        long[] before = counts(tables);
        test.execute("ALTER TABLE " + refusing + " ADD CONSTRAINT refusing CHECK (" + condition + ") NOT VALID");

        assertThatThrownBy(() -> assertThat(run(operation)).isNull()).isNotInstanceOf(AssertionError.class);

        assertThat(counts(tables)).isEqualTo(before);
    }

    private long[] counts(String[] tables) {
        long[] counts = new long[tables.length];
        for (int i = 0; i < tables.length; i++) {
            counts[i] = test.count(tables[i]);
        }
        return counts;
    }
}
