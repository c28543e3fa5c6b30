package io.counterpoint.idempotency.spring.boot;

import static io.counterpoint.idempotency.spring.boot.Contexts.onH2;
import static io.counterpoint.idempotency.spring.boot.StartedShop.bean;
import static io.counterpoint.idempotency.spring.boot.StartedShop.get;
import static io.counterpoint.idempotency.spring.boot.StartedShop.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.PlannedExternalOperation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.spring.boot.shop.Orders;
import io.counterpoint.idempotency.spring.boot.shop.Refunds;
import io.counterpoint.idempotency.spring.boot.shop.Shop;
import io.counterpoint.idempotency.testing.Snippets;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.core.ResolvableType;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/** Health and the endpoint for operators. */
class OperatorsTest {

    @SuppressWarnings("unchecked") // The only bean of its kind.
    private static ExternalOperation<String> pay() {
        ResolvableType type = ResolvableType.forType(new ParameterizedTypeReference<ExternalOperation<String>>() {});
        return (ExternalOperation<String>)
                StartedShop.SHOP.getBeanProvider(type).getObject();
    }

    /** An attempt whose remote side did not answer. */
    private static IdempotencyKey unresolved(String key) {
        return unresolved(pay(), key);
    }

    private static IdempotencyKey unresolved(ExternalOperation<String> pay, String key) {
        Attempt attempt = Attempt.inScope("user:ann").key(key).withoutRequest();
        assertThatThrownBy(() -> {
                    Outcome<String> unused = pay.execute(attempt, it -> {
                        throw new IllegalStateException("no answer");
                    });
                })
                .isInstanceOf(OutcomeUnknownException.class);
        return pay.keyOf(attempt);
    }

    @Test
    void beansOfThePageCompile() throws Exception {
        new Snippets(Object.class, "").requireCompiling(Path.of("../../docs/spring-boot.md"), "Operators", 1);
    }

    @Test
    void healthShowsTheTableAndTheClocks() throws Exception {
        HttpResponse<String> health = get("/actuator/health");

        assertThat(health.statusCode()).isEqualTo(200);
        assertThat(health.body())
                .contains("\"idempotency\":{", "\"table\":\"idempotency_record\"", "\"clockSkew\":\"PT");
    }

    @Test
    void doctorFindsWhatPoolAndDriverOfTheApplicationHave() throws Exception {
        unresolved("o-0");
        HikariDataSource pool = bean(DataSource.class).unwrap(HikariDataSource.class);
        long before = pool.getConnectionTimeout();
        HttpResponse<String> findings;
        pool.setConnectionTimeout(60_000);
        try {
            findings = get("/actuator/idempotencydoctor");
        } finally {
            pool.setConnectionTimeout(before);
        }

        assertThat(findings.statusCode()).isEqualTo(200);
        assertThat(findings.body())
                .contains("\"code\":\"pool-timeout-long\"", "\"remedy\":\"Set connectionTimeout below")
                .contains("\"code\":\"error-detail-shown\"", "\"severity\":\"WARNING\"")
                .as("set by the pool, and not in the URL")
                .doesNotContain("socket-timeout-missing")
                .doesNotContain("table-refused", "not-examined", "driver-unknown", "o-0", "user:ann", "jdbc:");
        assertThat(get("/actuator/idempotencydoctor").body()).doesNotContain("pool-timeout-long");
    }

    @Test
    void scopesAndKeysAreShownOnlyWhereThePropertyAsksForIt() {
        for (boolean shown : new boolean[] {false, true}) {
            onH2().withConfiguration(AutoConfigurations.of(IdempotencyActuatorAutoConfiguration.class))
                    .withPropertyValues(
                            "management.endpoints.web.exposure.include=idempotency",
                            "idempotency.endpoint.show-keys=" + shown)
                    .run(context -> {
                        Idempotency<?> idempotency = context.getBean(Idempotency.class);
                        ExternalOperation<String> pay = idempotency
                                .external("pay", ResultCodec.string(), unused -> Lookup.notYet())
                                .build();
                        unresolved(pay, "o-6");
                        Object listed =
                                context.getBean(IdempotencyEndpoint.class).pending("0s");
                        assertThat(listed.toString().contains("o-6")).isEqualTo(shown);
                        assertThat(listed.toString().contains("user:ann")).isEqualTo(shown);
                        assertThat(listed.toString()).contains("pay");
                    });
        }
    }

    /** What they read is no part of a caller's transaction. */
    @Test
    void operatorsReadTheTableBehindATransactionAwareProxy() {
        Contexts.bare()
                .withConfiguration(AutoConfigurations.of(
                        IdempotencyActuatorAutoConfiguration.class, PendingRecordsAutoConfiguration.class))
                .withBean(DataSource.class, () -> new TransactionAwareDataSourceProxy(Contexts.h2()))
                .withPropertyValues(
                        "idempotency.create-table=true", "management.endpoints.web.exposure.include=idempotency")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(IdempotencyEndpoint.class).pending("0s"))
                            .hasToString("{pending=[]}");
                });
    }

    @Test
    void keyIsFoundByTheHashThatMessagesShow() throws Exception {
        IdempotencyKey key = unresolved("o-1");

        HttpResponse<String> byStart = get("/actuator/idempotency/" + key.hash().substring(0, 16));
        assertThat(byStart.statusCode()).isEqualTo(200);
        assertThat(byStart.body())
                .contains("\"operation\":\"pay\"", "\"state\":\"pending\"", key.hash())
                .doesNotContain("o-1", "user:ann");
        assertThat(get("/actuator/idempotency/" + "0".repeat(64)).statusCode()).isEqualTo(404);
        assertThat(get("/actuator/idempotency/nothex").statusCode()).isEqualTo(400);
    }

    /** Spring Boot would answer 500, without the message. */
    @Test
    void databaseThatRejectsTheStatementIsUnavailableWithAMessage() {
        onH2().withConfiguration(AutoConfigurations.of(IdempotencyActuatorAutoConfiguration.class))
                .withPropertyValues("management.endpoints.web.exposure.include=idempotency")
                .run(context -> {
                    try (Connection connection =
                                    context.getBean(DataSource.class).getConnection();
                            Statement statement = connection.createStatement()) {
                        statement.execute("DROP TABLE idempotency_record");
                    }
                    Object answer = context.getBean(IdempotencyEndpoint.class).record("0".repeat(64));
                    assertThat(((WebEndpointResponse<?>) answer).getStatus()).isEqualTo(503);
                    assertThat(((WebEndpointResponse<?>) answer).getBody())
                            .asString()
                            .contains("SQLSTATE", "does not exist");
                });
    }

    @Test
    void unresolvedAttemptsAreListed() throws Exception {
        IdempotencyKey key = unresolved("o-2");

        assertThat(get("/actuator/idempotency?unchangedFor=0s").body()).contains(key.hash());
        assertThat(get("/actuator/idempotency").body()).doesNotContain(key.hash());
        assertThat(get("/actuator/idempotency?unchangedFor=PT2562047788015215H").body())
                .doesNotContain(key.hash());
    }

    @Test
    void operatorEndsAnAttemptAndIsAudited() throws Exception {
        IdempotencyKey succeeded = unresolved("o-3");
        IdempotencyKey failed = unresolved("o-4");
        bean(Shop.class).events().clear();

        HttpResponse<String> resolved = post(
                "ann",
                "/actuator/idempotency/" + succeeded.hash(),
                "",
                "{\"outcome\":\"succeeded\",\"reason\":\"receipt 7\",\"result\":\"paid\"}");
        assertThat(resolved.statusCode()).isEqualTo(200);
        assertThat(post(
                                "ann",
                                "/actuator/idempotency/" + failed.hash(),
                                "",
                                "{\"outcome\":\"failed\",\"reason\":\"no receipt\"}")
                        .statusCode())
                .isEqualTo(200);

        assertThat(pay().execute(Attempt.inScope("user:ann").key("o-3").withoutRequest(), it -> "paid twice")
                        .orElseThrow())
                .isEqualTo("paid");
        assertThat(bean(Shop.class).events())
                .extracting(event -> event.getAuditEvent().getPrincipal() + " "
                        + event.getAuditEvent().getData().get("outcome"))
                .containsExactly("ann succeeded", "ann failed");
    }

    private IdempotencyKey ended(String key) {
        Idempotency<?> idempotency = bean(Idempotency.class);
        Operation<?, String> local =
                idempotency.operation("local", ResultCodec.string()).build();
        Attempt attempt = Attempt.inScope("user:ann").key(key).withoutRequest();
        assertThat(local.execute(attempt, handle -> "done")).isInstanceOf(Outcome.Executed.class);
        return local.keyOf(attempt);
    }

    /** A resolution is final, so one that contradicts itself is rejected. */
    @Test
    void resultOfAnAttemptThatHasNotSucceededIsRefused() throws Exception {
        IdempotencyKey key = unresolved("o-14");
        String path = "/actuator/idempotency/" + key.hash();
        for (String outcome : List.of("failed", "settle")) {
            String body = "{\"outcome\":\"" + outcome + "\",\"reason\":\"receipt 7\",\"result\":\"paid\"}";
            requireRefusal(post("ann", path, "", body), "Only an attempt that succeeded has a result");
        }
        assertThat(get(path).body()).contains("\"state\":\"pending\"");
    }

    @Test
    void resolutionWithoutAReasonOrOfAnotherOperationChangesNothing() throws Exception {
        IdempotencyKey key = unresolved("o-5");

        HttpResponse<String> blank =
                post("ann", "/actuator/idempotency/" + key.hash(), "", "{\"outcome\":\"failed\",\"reason\":\" \"}");
        HttpResponse<String> unknown = post(
                "ann", "/actuator/idempotency/" + key.hash(), "", "{\"outcome\":\"perhaps\",\"reason\":\"a guess\"}");

        HttpResponse<String> twoLines = post(
                "ann",
                "/actuator/idempotency/" + key.hash(),
                "",
                "{\"outcome\":\"failed\",\"reason\":\"no receipt\\nIdempotency key 1 was resolved\"}");

        assertThat(twoLines.statusCode()).isEqualTo(400);
        assertThat(twoLines.body()).contains("without control characters");
        assertThat(unknown.body()).contains("succeeded or failed");
        assertThat(blank.statusCode()).isEqualTo(400);
        assertThat(unknown.statusCode()).isEqualTo(400);
        assertThat(get("/actuator/idempotency/" + key.hash()).body()).contains("\"state\":\"pending\"");
    }

    /** Spring would answer 400 and nothing else. */
    @Test
    void parameterThatIsMissingOrUnreadableIsNamed() throws Exception {
        IdempotencyKey key = unresolved("o-11");
        String path = "/actuator/idempotency/" + key.hash();

        requireRefusal(post("ann", path, "", "{\"outcome\":\"settle\"}"), "reason is missing");
        requireRefusal(post("ann", path, "", "{\"outcome\":\"settle\",\"reason\":null}"), "reason is missing");
        requireRefusal(post("ann", path, "", "{\"reason\":\"a guess\"}"), "outcome is missing");
        requireRefusal(post("ann", path, "", "{}"), "outcome is missing");
        requireRefusal(post("ann", path, "", ""), "outcome is missing");
        requireRefusal(get("/actuator/idempotency?unchangedFor=soon"), "unchangedFor");
        requireRefusal(get("/actuator/idempotency?unchangedFor=-1s"), "negative");
        assertThat(get(path).body()).contains("\"state\":\"pending\"");
    }

    private static void requireRefusal(HttpResponse<String> response, String named) {
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).contains("\"message\":", named);
    }

    /** Which way leads on depends on where the effect is. */
    @Test
    void attemptOfAnOperationWithoutABeanSaysWhatSettlesIt() throws Exception {
        Idempotency<?> idempotency = bean(Idempotency.class);
        ExternalOperation<String> ship = idempotency
                .external("ship", ResultCodec.string(), unused -> Lookup.notYet())
                .build();
        IdempotencyKey key = unresolved(ship, "o-12");
        String path = "/actuator/idempotency/" + key.hash();
        String body = "{\"outcome\":\"failed\",\"reason\":\"no receipt\"}";

        requireRefusal(post("ann", path, "", body), "bean of type ResolvableOperation");
        try (Connection connection = bean(DataSource.class).getConnection();
                Statement statement = connection.createStatement()) {
            assertThat(statement.executeUpdate("UPDATE idempotency_record SET protocol = 'C' WHERE operation = 'ship'"))
                    .isOne();
        }
        requireRefusal(post("ann", path, "", body), "With LEAVE, no call settles it");
        requireRefusal(post("ann", "/actuator/idempotency/" + ended("o-13").hash(), "", body), "already ended");
    }

    @Test
    void hashWithoutARecordIsNotFound() throws Exception {
        HttpResponse<String> response = post(
                "ann",
                "/actuator/idempotency/" + "0".repeat(64),
                "",
                "{\"outcome\":\"failed\",\"reason\":\"no receipt\"}");

        assertThat(response.statusCode()).isEqualTo(404);
        assertThat(response.body()).isEqualTo("{\"message\":\"There is no record with this hash.\"}");
    }

    @Test
    void resultIsStatedUnlessTheAttemptWasPlanned() throws Exception {
        IdempotencyKey unplanned = unresolved("o-9");
        Idempotency<?> idempotency = bean(Idempotency.class);
        PlannedExternalOperation<String> pay = idempotency
                .external(pay().name(), ResultCodec.string(), unresolved -> Lookup.notYet())
                .planned()
                .build();
        Attempt attempt = Attempt.inScope("user:ann").key("o-10").withoutRequest();
        assertThatThrownBy(() -> {
                    Outcome<String> unused = pay.execute(attempt, () -> "paid as planned", (key, plan) -> {
                        throw new IllegalStateException("no answer");
                    });
                })
                .isInstanceOf(OutcomeUnknownException.class);
        String planned = "/actuator/idempotency/" + pay().keyOf(attempt).hash();
        String succeeded = "{\"outcome\":\"succeeded\",\"reason\":\"receipt 7\"";

        HttpResponse<String> missing = post("ann", "/actuator/idempotency/" + unplanned.hash(), "", succeeded + "}");
        HttpResponse<String> other = post("ann", planned, "", succeeded + ",\"result\":\"another\"}");
        HttpResponse<String> resolved = post("ann", planned, "", succeeded + "}");

        assertThat(missing.statusCode()).isEqualTo(400);
        assertThat(missing.body()).contains("The record has no result");
        assertThat(other.statusCode()).isEqualTo(400);
        assertThat(other.body()).contains("The record already has the result", "Omit the result");
        assertThat(resolved.statusCode()).isEqualTo(200);
        assertThat(pay().execute(attempt, key -> "paid twice").orElseThrow()).isEqualTo("paid as planned");
    }

    @Test
    void callerWithoutANameResolvesNothing() throws Exception {
        IdempotencyKey key = unresolved("o-8");

        Object answer =
                bean(IdempotencyEndpoint.class).resolve(SecurityContext.NONE, key.hash(), "failed", "no receipt", null);

        assertThat(((WebEndpointResponse<?>) answer).getStatus()).isEqualTo(400);
        assertThat(((WebEndpointResponse<?>) answer).getBody()).asString().contains("authenticated caller");

        assertThat(get("/actuator/idempotency/" + key.hash()).body()).contains("\"state\":\"pending\"");
    }

    @Test
    void settlingAsksTheLookupAndBooks() throws Exception {
        IdempotencyKey key = unresolvedRefund("o-11");
        bean(Shop.class).events().clear();

        HttpResponse<String> unknown = settle(key);
        assertThat(unknown.statusCode()).isEqualTo(200);
        assertThat(unknown.body()).contains("\"outcome\":\"InProgress\"", "cannot tell yet", "Nothing was changed.");
        assertThat(get("/actuator/idempotency/" + key.hash()).body())
                .contains("\"protocol\":\"external with follow-up\"", "\"state\":\"pending\"");

        bean(Refunds.class).remote.put("o-11", Lookup.found("refund-11"));
        HttpResponse<String> settled = settle(key);
        assertThat(settled.statusCode()).isEqualTo(200);
        assertThat(settled.body()).contains("\"outcome\":\"Replayed\"").doesNotContain("message");
        assertThat(settle(key).body()).isEqualTo(settled.body());

        assertThat(bean(Orders.class).count("refund-11")).isEqualTo(1);
        assertThat(bean(Shop.class).events())
                .extracting(event -> event.getAuditEvent().getPrincipal() + " "
                        + event.getAuditEvent().getData().get("outcome") + " "
                        + event.getAuditEvent().getData().get("now"))
                .containsExactly("ann settle InProgress", "ann settle Replayed", "ann settle Replayed");
    }

    @Test
    void settlingStoresTheRefusalOfTheOtherSide() throws Exception {
        IdempotencyKey key = unresolvedRefund("o-12");
        bean(Refunds.class).remote.put("o-12", Lookup.refused(new Failure("declined", "")));

        assertThat(settle(key).body()).contains("\"outcome\":\"Rejected\"");

        assertThat(get("/actuator/idempotency/" + key.hash()).body())
                .contains("\"state\":\"failed\"", "\"failureCode\":\"declined\"");
    }

    @Test
    void effectWhoseFollowUpIsOwedIsNoFailureAndIsBookedOnce() throws Exception {
        IdempotencyKey key = unresolvedRefund("o-13");
        String path = "/actuator/idempotency/" + key.hash();
        bean(Refunds.class).remote.put("o-13", Lookup.found("refund-13"));
        bean(Refunds.class).failures.add(new IllegalStateException("the books are closed"));

        HttpResponse<String> owed = settle(key);
        HttpResponse<String> failed = post("ann", path, "", "{\"outcome\":\"failed\",\"reason\":\"no receipt\"}");
        HttpResponse<String> stated =
                post("ann", path, "", "{\"outcome\":\"succeeded\",\"reason\":\"receipt\",\"result\":\"another\"}");

        assertThat(owed.statusCode()).isEqualTo(503);
        assertThat(owed.body())
                .contains("its follow-up is not committed", "Cause: java.lang.IllegalStateException.")
                .doesNotContain("o-13", "user:ann", "books");
        assertThat(failed.statusCode()).isEqualTo(400);
        assertThat(failed.body()).contains("cannot be resolved as failed", "Nothing was changed.");
        assertThat(stated.statusCode()).isEqualTo(400);
        assertThat(stated.body()).contains("The record already has the result");
        assertThat(get(path).body()).contains("\"protocol\":\"follow-up owed\"", "\"state\":\"pending\"");
        assertThat(bean(Orders.class).count("refund-13")).isZero();

        assertThat(post("ann", path, "", "{\"outcome\":\"succeeded\",\"reason\":\"receipt\"}")
                        .body())
                .contains("\"outcome\":\"Replayed\"");
        assertThat(bean(Orders.class).count("refund-13")).isEqualTo(1);
    }

    private static IdempotencyKey unresolvedRefund(String key) {
        return unresolved(bean(Refunds.class).refund, key);
    }

    private static HttpResponse<String> settle(IdempotencyKey key) throws Exception {
        return post(
                "ann",
                "/actuator/idempotency/" + key.hash(),
                "",
                "{\"outcome\":\"settle\",\"reason\":\"the other side answers again\"}");
    }
}
