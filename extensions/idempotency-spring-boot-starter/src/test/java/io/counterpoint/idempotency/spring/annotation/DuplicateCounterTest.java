package io.counterpoint.idempotency.spring.annotation;

import static io.counterpoint.idempotency.spring.annotation.DuplicateCounter.Answer.FIRST;
import static io.counterpoint.idempotency.spring.annotation.DuplicateCounter.Answer.IN_PROGRESS;
import static io.counterpoint.idempotency.spring.annotation.DuplicateCounter.Answer.KEY_REUSED;
import static io.counterpoint.idempotency.spring.annotation.DuplicateCounter.Answer.NO_KEY;
import static io.counterpoint.idempotency.spring.annotation.DuplicateCounter.Answer.REFUSED;
import static io.counterpoint.idempotency.spring.annotation.DuplicateCounter.Answer.REJECTED;
import static io.counterpoint.idempotency.spring.annotation.DuplicateCounter.Answer.REPLAYED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.internal.CallEffects;
import io.counterpoint.idempotency.spring.annotation.DuplicateCounter.Answer;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** It counts what would have been answered. The work runs in any case. */
class DuplicateCounterTest {

    private final List<Answer> answers = new ArrayList<>();
    private Instant now = Instant.EPOCH;
    private int runs;

    private final DuplicateCounter counter =
            new DuplicateCounter((operation, answer) -> answers.add(answer), Duration.ofHours(1), () -> now);

    private static Attempt attempt(String key) {
        return Attempt.inScope("user:1").key(key).request("request");
    }

    private int call(DuplicateCounter counter, Attempt attempt) {
        return counter.<Integer, RuntimeException>count("pay", attempt, () -> ++runs);
    }

    @Test
    void eachCallRunsTheWorkAndGetsItsOwnResult() {
        assertThat(call(counter, attempt("a"))).isEqualTo(1);
        assertThat(call(counter, attempt("a"))).isEqualTo(2);
        assertThat(call(counter, Attempt.inScope("user:1").key("a").request("another")))
                .isEqualTo(3);
        assertThat(call(counter, attempt("b"))).isEqualTo(4);
        assertThat(call(counter, Attempt.inScope("user:2").key("a").request("request")))
                .isEqualTo(5);

        assertThat(answers).containsExactly(FIRST, REPLAYED, KEY_REUSED, FIRST, FIRST);
    }

    @Test
    void requestThatMatchesAFormerFingerprintIsNoOtherRequest() {
        call(counter, attempt("a"));
        call(
                counter,
                Attempt.inScope("user:1").key("a").request("new form").alsoMatching(Fingerprint.ofParts("request")));
        assertThat(answers).containsExactly(FIRST, REPLAYED);
    }

    @Test
    void duplicateDecidesNothing() {
        call(counter, attempt("a"));
        assertThatThrownBy(() -> counter.count("pay", attempt("a"), () -> {
                    throw new IOException("second");
                }))
                .hasMessage("second");
        call(counter, attempt("a"));
        assertThat(answers).as("the first call decides").containsExactly(FIRST, REPLAYED, REPLAYED);
    }

    @Test
    void duplicateOfARunningCallIsInProgressAndOneOfAFailedCallIsRejected() {
        assertThatThrownBy(() -> counter.count("pay", attempt("a"), () -> {
                    call(counter, attempt("a"));
                    throw new IOException("first");
                }))
                .isInstanceOf(IOException.class)
                .hasMessage("first");
        call(counter, attempt("a"));

        assertThat(runs).isEqualTo(2);
        assertThat(answers).containsExactly(FIRST, IN_PROGRESS, REJECTED);
    }

    @Test
    void callWithoutAUsableKeyRunsToo() {
        counter.count("pay", NO_KEY);
        assertThat(call(
                        counter,
                        Attempt.inScope("user:1").key("a").request("request").countedBy(new CallEffects())))
                .isEqualTo(1);
        assertThat(counter.<Integer, RuntimeException>count("no visible name\n", attempt("a"), () -> ++runs))
                .isEqualTo(2);
        assertThat(answers).containsExactly(NO_KEY, FIRST, REFUSED);
    }

    @Test
    void keyIsForgottenAfterTheRetentionAndWhenTooManyCameSince() {
        call(counter, attempt("a"));
        now = now.plus(Duration.ofHours(1).minusNanos(1));
        call(counter, attempt("a"));
        now = now.plusNanos(1);
        call(counter, attempt("a"));
        assertThat(answers).containsExactly(FIRST, REPLAYED, FIRST);

        for (int more = 1; more < DuplicateCounter.KEYS; more++) {
            call(counter, attempt("more-" + more));
        }
        answers.clear();
        call(counter, attempt("a"));
        call(counter, attempt("one-too-many"));
        call(counter, attempt("a"));
        assertThat(answers).containsExactly(REPLAYED, FIRST, FIRST);
    }

    @Test
    void faultOfTheReportChangesNoCall() {
        DuplicateCounter broken = new DuplicateCounter(
                (operation, answer) -> {
                    throw new StackOverflowError();
                },
                Duration.ofDays(1));
        assertThat(call(broken, attempt("a"))).isEqualTo(1);
    }

    @Test
    void counterThatRemembersNothingIsRefused() {
        for (Duration none : List.of(Duration.ZERO, Duration.ofNanos(-1))) {
            assertThatThrownBy(() -> new DuplicateCounter((operation, answer) -> {}, none))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(none.toString());
        }
    }
}
