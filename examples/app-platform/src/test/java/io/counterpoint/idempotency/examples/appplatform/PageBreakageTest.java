package io.counterpoint.idempotency.examples.appplatform;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The page plants damage, finds it and repairs it. The results are counted in the tables. */
@Tag("thorough")
class PageBreakageTest {

    private static TestPage test;

    @BeforeAll
    static void open() throws Exception {
        test = new TestPage(false);
        test.platform.execute(
                "INSERT INTO app (id, workspace_id, name) VALUES ('" + UUID.randomUUID() + "', 1, 'an app')");
    }

    @AfterAll
    static void close() {
        test.close();
    }

    @ParameterizedTest
    @CsvSource({
        "orphan_app,           orphan-apps",
        "wrong_quota,          quota",
        "dangling_version,     references",
        "doubled_policy,       doubled-policies",
        "ready_without_schema, ready-without-schema"
    })
    void plantedDamageIsFoundByItsCheckLeftByADryRunAndMendedWithAnAudit(String damage, String check) throws Exception {
        assertThat(offending(check)).isZero();
        assertThat(test.act("plant", "damage", damage).path("check").asText()).isEqualTo(check);
        assertThat(offending(check)).isOne();

        long audited = test.count("repair_audit");
        JsonNode dry = test.act("repair", "check", check, "dryRun", true);
        assertThat(sum(dry, "matched")).isOne();
        assertThat(offending(check)).isOne();
        assertThat(test.count("repair_audit")).isEqualTo(audited);

        JsonNode repaired = test.act("repair", "check", check, "dryRun", false);
        assertThat(sum(repaired, "changed")).isOne();
        assertThat(offending(check)).isZero();
        assertThat(test.count("repair_audit")).isEqualTo(audited + 1);
    }

    @Test
    void checkThatDoesNotExistIsNotRepaired() throws Exception {
        assertThat(test.post("repair", "check", "nothing", "dryRun", false).statusCode())
                .isEqualTo(404);
        assertThat(test.post("repair", "check", "../checks", "dryRun", false).statusCode())
                .isEqualTo(400);
    }

    private static long sum(JsonNode answer, String field) {
        return answer.path("reports").findValues(field).stream()
                .mapToLong(JsonNode::asLong)
                .sum();
    }

    private static long offending(String check) throws Exception {
        for (JsonNode one : test.act("check").path("checks")) {
            if (one.path("check").asText().equals(check)) {
                return one.path("offending").asLong();
            }
        }
        throw new AssertionError("no check " + check);
    }
}
