package io.counterpoint.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class OutcomeTest {

    private static final IdempotencyKey KEY =
            IdempotencyKey.inScope("user:42").operation("create-group").value("secret-key");
    private static final Failure FAILURE = new Failure("name-taken", "secret message");

    private static final Outcome<String> EXECUTED = new Outcome.Executed<>(KEY, "secret result");
    private static final Outcome<String> REPLAYED = new Outcome.Replayed<>(KEY, "secret result");
    private static final Outcome<String> HEALED = new Outcome.Healed<>(KEY, "secret result");
    private static final Outcome<String> IN_PROGRESS =
            new Outcome.InProgress<>(KEY, Duration.ofMillis(1234), Outcome.Ending.LATER_CALL);
    private static final Outcome<String> REJECTED = new Outcome.Rejected<>(KEY, FAILURE);
    private static final Outcome<String> KEY_REUSED = new Outcome.KeyReused<>(KEY);
    private static final List<Outcome<String>> ALL =
            List.of(EXECUTED, REPLAYED, HEALED, IN_PROGRESS, REJECTED, KEY_REUSED);

    @Test
    void foldHandlesEveryCase() {
        assertThat(ALL)
                .extracting(outcome -> outcome.<String>fold(
                        completed -> completed.isReplay() ? "replay" : "executed",
                        inProgress -> "in progress",
                        rejected -> "rejected",
                        keyReused -> "key reused"))
                .containsExactly("executed", "replay", "replay", "in progress", "rejected", "key reused");
    }

    @Test
    void resultIsThereWhenTheEffectIs() {
        assertThat(ALL)
                .extracting(Outcome::asOptional)
                .containsExactly(
                        Optional.of("secret result"),
                        Optional.of("secret result"),
                        Optional.of("secret result"),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty());
        assertThat(HEALED.orElseThrow()).isEqualTo("secret result");
    }

    @Test
    void otherOutcomesThrowWhatTheyAre() {
        assertThatThrownBy(IN_PROGRESS::orElseThrow)
                .isInstanceOfSatisfying(InProgressException.class, thrown -> {
                    assertThat(thrown.isRetryable()).isTrue();
                    assertThat(thrown.key()).isEqualTo(KEY);
                })
                .hasMessageContaining("1.234 s");
        assertThatThrownBy(REJECTED::orElseThrow)
                .isInstanceOfSatisfying(RejectedException.class, thrown -> {
                    assertThat(thrown.isRetryable()).isFalse();
                    assertThat(thrown.failure()).isEqualTo(FAILURE);
                })
                .hasMessageContaining("name-taken")
                .hasMessageContaining("new key");
        assertThatThrownBy(KEY_REUSED::orElseThrow)
                .isInstanceOfSatisfying(
                        KeyReusedException.class,
                        thrown -> assertThat(thrown.isRetryable()).isFalse());
    }

    @Test
    void ownFailureIsNoPartOfWhatAnOutcomeSays() {
        IllegalStateException own = new IllegalStateException("secret result");
        assertThat(ALL).allSatisfy(outcome -> {
            Outcome<String> failed = outcome.withSuppressedFailure(own);

            assertThat(failed.suppressedFailure()).containsSame(own);
            assertThat(outcome.suppressedFailure()).isEmpty();
            assertThat(failed).isEqualTo(outcome).hasSameHashCodeAs(outcome).hasToString(outcome.toString());
        });
        assertThatThrownBy(REJECTED.withSuppressedFailure(own)::orElseThrow).hasSuppressedException(own);
    }

    @Test
    void outcomesAreEqualByKindKeyAndContent() {
        assertThat(ALL).doesNotHaveDuplicates();
        assertThat(new Outcome.Replayed<>(KEY, "secret result")).isEqualTo(REPLAYED);
        assertThat(REPLAYED)
                .isNotEqualTo(new Outcome.Replayed<>(KEY, "another"))
                .isNotEqualTo(new Outcome.Replayed<>(
                        IdempotencyKey.inScope("user:42")
                                .operation("create-group")
                                .value("k"),
                        "secret result"));
    }

    @Test
    void textShowsNeitherKeysNorResults() {
        assertThat(ALL)
                .allSatisfy(outcome -> assertThat(outcome.toString())
                        .contains("create-group#")
                        .doesNotContain("secret-key")
                        .doesNotContain("secret result")
                        .doesNotContain("user:42"));
        assertThat(IN_PROGRESS)
                .asString()
                .startsWith("InProgress[create-group#")
                .endsWith(", last change 1.234 s ago. If its leader has died, a later call with this key settles it]");
        assertThat(KEY_REUSED).hasToString("KeyReused[" + KEY + "]");
        for (Outcome<String> outcome : List.of(IN_PROGRESS, REJECTED, KEY_REUSED)) {
            assertThatThrownBy(outcome::orElseThrow)
                    .hasMessageNotContaining("secret")
                    .hasMessageNotContaining("user:42");
        }
    }

    @Test
    void exceptionKeepsItsKeyAndItsFailureWhenItIsSerialized() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(new RejectedException(KEY, FAILURE, null));
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            assertThat(in.readObject()).isInstanceOfSatisfying(RejectedException.class, read -> {
                assertThat(read.key()).isEqualTo(KEY);
                assertThat(read.failure()).isEqualTo(FAILURE);
            });
        }
    }

    @Test
    void outcomesOfOneClassKeyAndContentAreEqual() {
        Outcome<String> replayed = new Outcome.Replayed<>(KEY, "result");
        assertThat(replayed)
                .isEqualTo(new Outcome.Replayed<>(KEY, "result"))
                .hasSameHashCodeAs(new Outcome.Replayed<>(KEY, "result"))
                .isNotEqualTo(new Outcome.Healed<>(KEY, "result"))
                .isNotEqualTo(new Outcome.Replayed<>(KEY, "another"));
        assertThat(replayed.hashCode()).isNotEqualTo(new Outcome.Replayed<>(KEY, "another").hashCode());
    }

    /** A leader may be dead, and an external attempt be an operator's; the same request may carry a time stamp. */
    @Test
    void messagesSayWhatElseMayBeTheReason() {
        assertThatThrownBy(IN_PROGRESS::orElseThrow)
                .hasMessageContainingAll("or has died", "1.234 s", "a later call")
                .hasMessageNotContaining("operator ends");
        assertThatThrownBy(new Outcome.InProgress<>(KEY, Duration.ZERO, Outcome.Ending.NEEDS_OPERATOR)::orElseThrow)
                .hasMessageContaining("only its lookup or an operator settles it");
        assertThatThrownBy(KEY_REUSED::orElseThrow).hasMessageContainingAll("new key", "timestamp");
    }
}
