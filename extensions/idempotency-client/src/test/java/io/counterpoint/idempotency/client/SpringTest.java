package io.counterpoint.idempotency.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.counterpoint.idempotency.http.ProblemType;
import java.net.http.HttpClient;
import java.util.HashSet;
import java.util.UUID;
import org.h2.jdbcx.JdbcDataSource;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.http.ResponseEntity;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.RestClient;

/** Calls through Spring's RestClient. */
class SpringTest {

    private final Payments payments = new Payments();
    private final HttpProxy proxy = new HttpProxy(payments.server.port());
    private final ManualTime time = new ManualTime();
    private final JdbcDataSource database = new JdbcDataSource();
    private final ClientKeys keys = ClientKeys.in(database);
    private final RestClient rest = RestClient.builder()
            .requestFactory(IdempotentCallInterceptor.requestFactory(HttpClient.newHttpClient()))
            .requestInterceptor(IdempotentCallInterceptor.with(
                    CallSettings.builder()
                            .tries(3)
                            .clock(time)
                            .sleeper(time)
                            .maxBody(2000)
                            .build(),
                    keys))
            .build();

    SpringTest() {
        database.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        Jdbi.create(database).useHandle(handle -> handle.execute(ClientKeysTest.table()));
    }

    @AfterEach
    void stop() {
        proxy.close();
        payments.close();
    }

    private RestClient.RequestBodySpec post(String body) {
        return rest.post().uri(proxy.uri("/payments")).body(body);
    }

    private IdempotentCallException failure(RestClient.RequestBodySpec request) {
        return catchThrowableOfType(
                IdempotentCallException.class, () -> request.retrieve().toEntity(String.class));
    }

    @Test
    void lostAnswersAreReplayedAndThereIsOneEffect() {
        proxy.cutAnswers(2);

        ResponseEntity<String> response = post("coffee").retrieve().toEntity(String.class);

        assertThat(response.getStatusCode().value()).isEqualTo(201);
        assertThat(response.getBody()).isEqualTo("r-coffee");
        assertThat(response.getHeaders().getFirst("Idempotent-Replayed")).isEqualTo("true");
        assertThat(payments.effects).containsExactly("coffee");
        assertThat(payments.keys).hasSize(3);
        assertThat(new HashSet<>(payments.keys)).hasSize(1);
    }

    @Test
    void everyCallHasAKeyOfItsOwn() {
        assertThat(post("coffee").retrieve().body(String.class)).isEqualTo("r-coffee");
        assertThat(post("coffee").retrieve().body(String.class)).isEqualTo("r-coffee");

        assertThat(new HashSet<>(payments.keys)).hasSize(2);
        assertThat(payments.effects).hasSize(2);
    }

    @Test
    void requestsWithoutAnEffectHaveNoKey() {
        rest.get().uri(proxy.uri("/transfers")).retrieve().toBodilessEntity();

        assertThat(payments.keys).containsExactly("null");
    }

    @Test
    void unknownOutcomeHasTheKeyToGoOnWith() {
        proxy.cutAnswers(3);
        CallResult<?> result = failure(post("coffee")).result();
        assertThat(result).isInstanceOf(CallResult.Unknown.class);

        ResponseEntity<String> response = post("coffee")
                .attribute(IdempotentCallInterceptor.CALL_KEY, result.key())
                .retrieve()
                .toEntity(String.class);

        assertThat(response.getHeaders().getFirst("Idempotent-Replayed")).isEqualTo("true");
        assertThat(payments.effects).containsExactly("coffee");
    }

    @Test
    void problemsOfTheFilterAreResults() {
        payments.known = false;

        IdempotentCallException refused = failure(post("coffee"));

        assertThat(refused.result())
                .isInstanceOfSatisfying(
                        CallResult.Refused.class,
                        result -> assertThat(result.problem().type()).contains(ProblemType.CALLER_UNKNOWN));
        assertThat(refused).hasMessageContaining("401 caller-unknown");
        assertThat(refused.getMessage()).doesNotContain(refused.result().key().value());
    }

    @Test
    void ownRefusalOfTheServiceIsSpringsToThrow() {
        payments.refusal = 402;

        assertThatThrownBy(() -> post("coffee").retrieve().body(String.class))
                .isInstanceOfSatisfying(
                        HttpClientErrorException.class,
                        refusal -> assertThat(refusal.getResponseBodyAsString()).contains("No funds"));
        assertThat(payments.keys).hasSize(1);
    }

    @Test
    void refusalAfterALostTryIsUnknown() {
        proxy.cutAnswers(1);
        time.meanwhile = () -> payments.refusal = 402;

        assertThat(failure(post("coffee")).result()).isInstanceOf(CallResult.Unknown.class);
        assertThat(payments.effects).containsExactly("coffee");
    }

    @Test
    void storedCallHasOneKeyInEveryProcess() {
        proxy.cutAnswers(3);
        CallResult<?> result = failure(post("coffee").attribute(IdempotentCallInterceptor.CALL_ID, "order 42"))
                .result();
        assertThat(keys.unfinished(10)).hasSize(1);

        assertThat(post("coffee")
                        .attribute(IdempotentCallInterceptor.CALL_ID, "order 42")
                        .retrieve()
                        .body(String.class))
                .isEqualTo("r-coffee");

        assertThat(new HashSet<>(payments.keys)).containsExactly(result.key().header());
        assertThat(keys.unfinished(10)).isEmpty();
        assertThat(payments.effects).containsExactly("coffee");
        assertThatThrownBy(() -> post("cake")
                        .attribute(IdempotentCallInterceptor.CALL_ID, "order 42")
                        .retrieve()
                        .toBodilessEntity())
                .isInstanceOf(CallMismatchException.class);
    }

    @Test
    void badUseIsRefusedAndNothingIsSent() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> post("x".repeat(2001)).retrieve().toBodilessEntity());
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        post("coffee").header(CallKey.HEADER, "mine").retrieve().toBodilessEntity());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> post("coffee")
                        .attribute(IdempotentCallInterceptor.CALL_ID, 42)
                        .retrieve()
                        .toBodilessEntity());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> post("coffee")
                        .attribute(IdempotentCallInterceptor.CALL_ID, "order 42")
                        .attribute(IdempotentCallInterceptor.CALL_KEY, CallKey.random())
                        .retrieve()
                        .toBodilessEntity());
        assertThat(payments.keys).isEmpty();
    }
}
