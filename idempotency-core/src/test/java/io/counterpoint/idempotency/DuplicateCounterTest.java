package io.counterpoint.idempotency;

import static io.counterpoint.idempotency.DuplicateCounter.Answer.FIRST;
import static io.counterpoint.idempotency.DuplicateCounter.Answer.IN_PROGRESS;
import static io.counterpoint.idempotency.DuplicateCounter.Answer.KEY_REUSED;
import static io.counterpoint.idempotency.DuplicateCounter.Answer.NO_KEY;
import static io.counterpoint.idempotency.DuplicateCounter.Answer.REFUSED;
import static io.counterpoint.idempotency.DuplicateCounter.Answer.REJECTED;
import static io.counterpoint.idempotency.DuplicateCounter.Answer.REPLAYED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.DuplicateCounter.Answer;
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

    private final DuplicateCounter counter = counter(100);

    private DuplicateCounter counter(int keys) {
        return DuplicateCounter.reportingTo(
                (operation, answer) -> answers.add(answer), keys, Duration.ofHours(1), new IdempotencyClock() {
                    @Override
                    public Instant now() {
                        return now;
                    }

                    @Override
                    public void sleep(Duration pause) {
                        throw new AssertionError("A counter does not wait.");
                    }
                });
    }

    private static Attempt attempt(String key) {
        return Attempt.in("user:1").key(key).request("request");
    }

    private int call(DuplicateCounter counter, Attempt attempt) {
        return counter.<Integer, RuntimeException>count("pay", attempt, () -> ++runs);
    }

    @Test
    void eachCallRunsTheWorkAndGetsItsOwnResult() {
        assertThat(call(counter, attempt("a"))).isEqualTo(1);
        assertThat(call(counter, attempt("a"))).isEqualTo(2);
        assertThat(call(counter, Attempt.in("user:1").key("a").request("another")))
                .isEqualTo(3);
        assertThat(call(counter, attempt("b"))).isEqualTo(4);
        assertThat(call(counter, Attempt.in("user:2").key("a").request("request")))
                .isEqualTo(5);

        assertThat(answers).containsExactly(FIRST, REPLAYED, KEY_REUSED, FIRST, FIRST);
    }

    @Test
    void requestThatMatchesAFormerFingerprintIsNoOtherRequest() {
        call(counter, attempt("a"));
        call(counter, Attempt.in("user:1").key("a").request("new form").alsoMatching(Fingerprint.ofParts("request")));
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
                        Attempt.in("user:1").key("a").request("request").withOneResultEach()))
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

        answers.clear();
        DuplicateCounter small = counter(2);
        for (String key : List.of("a", "b", "a", "c", "a")) {
            call(small, attempt(key));
        }
        assertThat(answers).containsExactly(FIRST, FIRST, REPLAYED, FIRST, FIRST);
    }

    @Test
    void faultOfTheReportChangesNoCall() {
        DuplicateCounter broken = DuplicateCounter.reportingTo((operation, answer) -> {
            throw new StackOverflowError();
        });
        assertThat(call(broken, attempt("a"))).isEqualTo(1);
    }

    @Test
    void countersThatRememberNothingAreRefused() {
        assertThatThrownBy(() -> counter(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("found 0 keys and PT1H");
        assertThatThrownBy(() -> DuplicateCounter.reportingTo(
                        (operation, answer) -> {}, 1, Duration.ZERO, IdempotencyClock.system()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("PT0S");
    }
}
