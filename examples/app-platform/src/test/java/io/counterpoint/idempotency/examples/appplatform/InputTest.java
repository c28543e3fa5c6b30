package io.counterpoint.idempotency.examples.appplatform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.programs.CannotRun;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * If an input is not exactly what an operation accepts, the request is refused, says what was expected, and changes
 * nothing.
 */
@Tag("thorough")
class InputTest {

    private static final String HERE = "Workspace: 1";

    private TestPlatform test;

    @BeforeEach
    void open() throws CannotRun {
        test = TestPlatform.empty();
    }

    @AfterEach
    void close() {
        test.close();
    }

    private Raw post(String target, String body, String... headers) throws Exception {
        return Raw.send(test.url(), "POST", target, body, headers);
    }

    private Raw get(String target) throws Exception {
        return Raw.send(test.url(), "GET", target, "", HERE);
    }

    @Test
    void oneTransactionIdIsChargedOnceWhateverTheKeyHeader() throws Exception {
        for (String key : new String[] {"a", "b", "c"}) {
            Raw answer = post("/charges", "{\"amount\":5}", HERE, "Transaction-Id: t1", "Idempotency-Key: " + key);
            assertThat(answer.status()).isEqualTo(201);
            assertThat(answer.text()).contains("{\"left\":145}");
        }
        assertThat(test.count("charge WHERE transaction_id = 't1'")).isEqualTo(1);
        assertThat(test.one("SELECT quota_left FROM workspace")).isEqualTo("145");
    }

    @Test
    void missingTransactionIdIsReportedAsThat() throws Exception {
        for (String[] headers : new String[][] {
            {HERE},
            {HERE, "Idempotency-Key: k"},
            {HERE, "Transaction-Id: a", "Transaction-Id: b"},
            {HERE, "Transaction-Id: \"t\""},
            {HERE, "Transaction-Id: a b"}
        }) {
            Raw answer = post("/charges", "{\"amount\":5}", headers);
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.text()).contains("Transaction-Id").doesNotContain("Idempotency-Key");
        }
        assertThat(test.count("charge")).isZero();
    }

    @Test
    void databaseRefusesASecondChargeOfATransaction() throws Exception {
        assertThat(post("/charges", "{\"amount\":5}", HERE, "Transaction-Id: t1")
                        .status())
                .isEqualTo(201);
        assertThatThrownBy(
                        () -> test.execute("INSERT INTO charge (id, workspace_id, transaction_id, amount, charged_at)"
                                + " SELECT '" + UUID.randomUUID()
                                + "', workspace_id, transaction_id, amount, charged_at FROM charge"))
                .isInstanceOf(RuntimeException.class);
        // As after the record's retention period.
        test.execute("DELETE FROM idempotency_record");
        Raw late = post("/charges", "{\"amount\":5}", HERE, "Transaction-Id: t1");
        assertThat(late.status()).isEqualTo(422);
        assertThat(late.text()).contains("charged before");
        assertThat(test.one("SELECT quota_left FROM workspace")).isEqualTo("145");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    /repairs/quota?dryRun=TRUE              | dryRun
                    /repairs/quota?dryRun=                  | dryRun
                    /repairs/quota?dryRun                   | dryRun
                    /repairs/quota?dryRun=yes               | dryRun
                    /repairs/quota?dryRun=true&dryRun=false | dryRun
                    /repairs/quota?dryRun=true&dryRun=true  | dryRun
                    /repairs/quota?dryrun=true              | dryRun
                    /repairs/quota?dryRun=true&limit=1      | dryRun
                    /repairs/quota?dryRun=%                 | percent
                    """)
    void repairThatIsAskedForWronglyRepairsNothing(String target, String expected) throws Exception {
        test.execute("UPDATE workspace SET quota_left = 17");
        Raw answer = post(target, "", HERE, TestPlatform.OPERATOR);
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.text()).contains(expected);
        assertThat(test.one("SELECT quota_left FROM workspace")).isEqualTo("17");
        assertThat(test.count("repair_audit")).isZero();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    /apps?x=1     | {"name":"x"}                                                 | 400
                    /apps         | {"name":"x","nome":"y"}                                      | 400
                    /apps         | {"name":"x","name":"y"}                                      | 400
                    /apps         | {"name":"x"} {}                                              | 400
                    /apps         | ["x"]                                                        | 400
                    /apps         | {"name":1}                                                   | 400
                    /apps         | {"name":"a\\u0000b"}                                         | 422
                    /apps         | {"name":"a\\ud800b"}                                         | 422
                    /apps         | {"name":"\\udc00"}                                           | 422
                    /publications | {"app":"0-0-0-0-0"}                                          | 400
                    /publications | {"app":"00000000-0000-0000-0000-000000000000","force":true} | 400
                    /charges      | {"amount":1.0}                                               | 400
                    /charges      | {"amount":"1"}                                               | 400
                    /charges      | {"amount":1,"currency":"EUR"}                                | 400
                    """)
    void bodyThatIsNotWhatIsTakenChangesNothing(String target, String body, int status) throws Exception {
        Raw answer = post(target, body, HERE, "Idempotency-Key: k", "Transaction-Id: k");
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.text()).contains("\"detail\":");
        assertThat(test.count("app") + test.count("charge") + test.count("idempotency_record WHERE key_value = 'k'"))
                .isZero();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    /search?q=%        | 400
                    /search?q=%f       | 400
                    /search?q=%ff      | 400
                    /search?q=%00      | 422
                    /search?q=a&q=b    | 400
                    /search?Q=a        | 400
                    /usage?month=1     | 400
                    /lags?x            | 400
                    /search?q=a%20+%2B | 200
                    /search            | 200
                    """)
    void queryIsTakenAsItIsDeclaredOrRefused(String target, int status) throws Exception {
        assertThat(get(target).status()).isEqualTo(status);
    }

    @Test
    void checksAndRepairsAskForTheOperator() throws Exception {
        test.execute("UPDATE workspace SET quota_left = 17");
        for (String[] headers : new String[][] {
            {HERE},
            {HERE, "Authorization: Bearer wrong"},
            {HERE, "Authorization: Basic " + TestPlatform.OPERATOR.substring(22)},
            {HERE, TestPlatform.OPERATOR + "x"},
            {HERE, TestPlatform.OPERATOR, TestPlatform.OPERATOR}
        }) {
            assertThat(Raw.send(test.url(), "GET", "/checks", "", headers).status())
                    .isEqualTo(401);
            assertThat(post("/repairs/quota", "", headers).status()).isEqualTo(401);
        }
        assertThat(test.one("SELECT quota_left FROM workspace")).isEqualTo("17");
        assertThat(Raw.send(test.url(), "GET", "/checks", "", TestPlatform.OPERATOR)
                        .status())
                .isEqualTo(200);
        assertThat(post("/repairs/quota", "", TestPlatform.OPERATOR).status()).isEqualTo(200);
        assertThat(test.one("SELECT quota_left FROM workspace")).isEqualTo("150");
    }
}
