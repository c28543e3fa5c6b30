package io.counterpoint.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.http.ProblemType;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ValuesTest {

    @Test
    void failureIsCutAndCleanedSoThatEveryDatabaseTakesIt() {
        Failure failure = new Failure("c".repeat(200), "a\u0000b\ud83dc\n" + "m".repeat(2000));
        assertThat(failure.code()).hasSize(Failure.MAX_CODE_LENGTH);
        assertThat(failure.message()).hasSize(Failure.MAX_MESSAGE_LENGTH).startsWith("a?b?c?mmm");
        assertThat(new Failure("code", "smile 😀").message()).isEqualTo("smile 😀");
    }

    @Test
    void failureOfAnExceptionNamesItsClassAlone() {
        assertThat(Failure.of(new IllegalStateException("secret"))).isEqualTo(new Failure("IllegalStateException", ""));
        assertThat(Failure.of(new RuntimeException("secret") {})).isEqualTo(new Failure("failed", ""));
    }

    @Test
    void codecsGoRound() throws Exception {
        ResultCodec<UUID> ids = ResultCodec.text(UUID::toString, UUID::fromString);
        UUID id = UUID.randomUUID();
        assertThat(ids.decode(ids.encode(id))).isEqualTo(id);
        assertThat(ResultCodec.string().decode(ResultCodec.string().encode("ünïcödé 😀")))
                .isEqualTo("ünïcödé 😀");
        assertThat(ResultCodec.done().encode(Done.DONE)).isEmpty();
        assertThat(ResultCodec.done().decode(new byte[0])).isEqualTo(Done.DONE);
    }

    @Test
    void payloadIsAValueThatNobodyCanChangeOrRead() {
        byte[] bytes = {1, 2, 3};
        Payload payload = Payload.of(bytes);
        bytes[0] = 9;
        payload.toBytes()[1] = 9;
        assertThat(payload.toBytes()).containsExactly(1, 2, 3);
        assertThat(payload).isEqualTo(Payload.of(new byte[] {1, 2, 3})).hasSameHashCodeAs(Payload.of(new byte[] {1, 2, 3
        }));
        assertThat(payload).hasToString("3 bytes");
    }

    @Test
    void otherPayloadsAndFingerprintsAreOtherValues() {
        Payload payload = Payload.of(new byte[] {1, 2, 3});
        assertThat(payload).isNotEqualTo(Payload.of(new byte[] {1, 2, 4})).isNotEqualTo("3 bytes");
        assertThat(payload.hashCode())
                .isNotEqualTo(Payload.of(new byte[] {1, 2, 4}).hashCode());
        assertThat(Fingerprint.ofParts("one").hashCode())
                .isNotEqualTo(Fingerprint.ofParts("two").hashCode());
    }

    @Test
    void attemptPrintsItsFingerprintAndNeverItsKey() {
        Attempt attempt = Attempt.inScope("user:42").key("key-1").request("request");
        assertThat(attempt.toString())
                .endsWith(", request #" + Fingerprint.ofParts("request") + "]")
                .isNotEqualTo(attempt.derive("line-2").toString())
                .doesNotContain("user:42", "key-1");
    }

    @Test
    void exceptionsStateWhetherTheSameKeyMayGiveAnotherAnswer() {
        IdempotencyKey key =
                IdempotencyKey.inScope("user:42").operation("charge").value("key-1");
        assertThat(new NotStartedException(Reason.STORE_UNREACHABLE, key, null).isRetryable())
                .isTrue();
        assertThat(new NotStartedException(Reason.STORE_UNFIT, key, null).isRetryable())
                .isFalse();
        assertThat(new KeyReusedException(key).isRetryable()).isFalse();
    }

    @Test
    void exceptionSaysWhatHappenedWhetherTheEffectIsThereAndWhatToDo() {
        IdempotencyKey key =
                IdempotencyKey.inScope("user:42").operation("charge").value("key-1");
        assertThat(new NotStartedException(Reason.STORE_UNREACHABLE, key, null))
                .hasMessage(
                        key
                                + ": the store is unreachable. This call had no effect. Retry with the same key. See"
                                + " <https://github.com/counterpoint-io/idempotency/blob/main/docs/troubleshooting.md#store-unavailable>.");
    }

    @Test
    void exceptionHasItsReasonWhichNamesItsClassAndWhatHappened() {
        NotStartedException thrown = new NotStartedException(
                Reason.STORE_UNFIT,
                IdempotencyKey.inScope("user:42").operation("charge").value("key-1"),
                null);
        assertThat(thrown.reason()).isSameAs(Reason.STORE_UNFIT);
        assertThat(thrown.reason().type()).isSameAs(NotStartedException.class);
        assertThat(thrown).hasMessageContaining(thrown.reason().what());
        assertThat(thrown.reason().what()).contains("table");
    }

    @Test
    void problemTypeHasSlugStatusTitleAndWhetherARetryHelps() {
        assertThat(ProblemType.STORE_UNAVAILABLE.slug()).isEqualTo("store-unavailable");
        assertThat(ProblemType.STORE_UNAVAILABLE.status()).isEqualTo(503);
        assertThat(ProblemType.STORE_UNAVAILABLE.title()).isEqualTo("The request was not started");
        assertThat(ProblemType.STORE_UNAVAILABLE.isRetryable()).contains(true);
        assertThat(ProblemType.CALLER_UNKNOWN.isRetryable()).isEmpty();
    }

    @Test
    void derivedAttemptIsAnotherAndItsNameIsVisible() {
        Attempt attempt = Attempt.inScope("user:42").key("key-1").request("request");
        assertThat(attempt.derive("line-2")).isNotNull().isNotSameAs(attempt);
        assertThatThrownBy(() -> attempt.derive("\n")).isInstanceOf(InvalidKeyException.class);
    }

    @Test
    void reasonOfAnotherExceptionIsRefused() {
        IdempotencyKey key =
                IdempotencyKey.inScope("user:42").operation("charge").value("key-1");
        assertThatThrownBy(() -> new NotStartedException(Reason.LOOKUP_FAILED, key, null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("LOOKUP_FAILED", "OutcomeUnknownException", "NotStartedException");
    }

    @Test
    void unresolvedAttemptPrintsNeitherItsKeyNorItsPlan() {
        IdempotencyKey key =
                IdempotencyKey.inScope("user:42").operation("charge").value("key-1");
        assertThat(new ExternalOperation.Unresolved<>(key, Optional.of("plan"))).hasToString("Unresolved[" + key + "]");
    }

    @Test
    void scopeIsCheckedWhenItIsGiven() {
        assertThatThrownBy(() -> Attempt.inScope("")).isInstanceOf(InvalidKeyException.class);
        assertThatThrownBy(() -> Attempt.inScope("user 42")).isInstanceOf(InvalidKeyException.class);
    }

    @Test
    void systemClockGoesForwardAndPausesAtLeastAsLongAsAsked() throws InterruptedException {
        IdempotencyClock clock = IdempotencyClock.system();
        Instant before = clock.now();
        clock.sleep(Duration.ofMillis(2));
        assertThat(Duration.between(before, clock.now())).isBetween(Duration.ofMillis(2), Duration.ofMinutes(1));
        assertThat(before).isBetween(Instant.EPOCH, Instant.EPOCH.plusSeconds(60));
    }
}
