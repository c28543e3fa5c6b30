package io.counterpoint.idempotency.jdbc.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.UndecodableException;
import io.counterpoint.idempotency.UnstorableResultException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A codec that throws, wherever it is asked. */
@Tag("thorough")
@Timeout(60)
class BrokenCodecTest {

    private static Bench bench;

    @BeforeAll
    static void open() {
        bench = Bench.shared();
    }

    @AfterAll
    static void close() {
        bench.close();
    }

    private static ResultCodec<String> encodingNothing() {
        return ResultCodec.of(
                text -> {
                    throw new IOException("no form for this");
                },
                bytes -> new String(bytes, StandardCharsets.UTF_8));
    }

    private static ResultCodec<String> decodingNothing() {
        return ResultCodec.of(text -> text.getBytes(StandardCharsets.UTF_8), bytes -> {
            throw new IOException("an old form");
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"CLAIM_FIRST_PLANNED", "SINGLE_TRANSACTION_PLANNED"})
    void planThatCannotBeEncodedStartsNothing(ProtocolVariant way) {
        Trial trial = bench.trial(way).codec(encodingNothing());
        assertThat(trial.thrown(Trial.Doing::write)).isInstanceOf(UnstorableResultException.class);
        assertThat(trial.hasRun(0).state()).isEqualTo("-");
        trial.codec(ResultCodec.string()).leftNothing();
    }

    @ParameterizedTest
    @EnumSource(names = {"CLAIM_FIRST", "SINGLE_TRANSACTION"})
    void resultThatCannotBeEncodedFailsTheAttempt(ProtocolVariant way) {
        Trial trial = bench.trial(way).codec(encodingNothing());
        assertThat(trial.thrown(Trial.Doing::write)).isInstanceOf(UnstorableResultException.class);
        trial.hasRun(1).failed();
    }

    /** Nothing of it is left where the failure is: no codec is asked for one. */
    @Test
    void failureKeepsNoPlan() {
        Trial trial = bench.trial(ProtocolVariant.CLAIM_FIRST_PLANNED).codec(decodingNothing());
        IOException refusal = new IOException("refused");
        assertThat(trial.thrown(doing -> {
                    throw refusal;
                }))
                .isSameAs(refusal);
        assertThat(bench.direct.<Boolean, RuntimeException>withHandle(handle -> handle.createQuery(
                                "SELECT payload IS NULL FROM idempotency_record WHERE key_value = :key")
                        .bind("key", trial.key)
                        .mapTo(Boolean.class)
                        .one()))
                .isTrue();
        trial.hasRun(1).failed();
    }

    @Test
    void planThatCannotBeDecodedIsReportedAndNothingHealedOrRun() {
        Trial trial = bench.trial(ProtocolVariant.CLAIM_FIRST_PLANNED)
                .plantEffectBehindPending()
                .codec(decodingNothing());
        assertThat(catchThrowable(trial::callToHeal)).isInstanceOf(UndecodableException.class);
        trial.codec(ResultCodec.string()).hasRun(0).leftPendingWithEffect();
    }

    /** The effect is there and its result is returned. A later call gets the result from the lookup. */
    @Test
    void externalResultThatCannotBeEncodedIsReturnedAndLaterLookedUp() {
        Trial trial = bench.trial(ProtocolVariant.EXTERNAL).codec(encodingNothing());
        trial.executes(1);
    }
}
