package io.counterpoint.idempotency.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.IdempotencyException.Effect;
import io.counterpoint.idempotency.IdempotencyException.Next;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.http.ProblemType;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What clients learn of each reason. */
class ReasonProblemsTest {

    private static final Set<ProblemType> NOTHING_DONE = EnumSet.of(
            ProblemType.ATTEMPT_FAILED,
            ProblemType.KEY_REUSED,
            ProblemType.NOT_STARTED,
            ProblemType.RESULT_UNSTORABLE,
            ProblemType.STORE_UNAVAILABLE);

    @ParameterizedTest
    @EnumSource
    void problemSaysTheSameOfTheEffectAndOfRetriesAsItsReason(Reason reason) {
        ProblemType problem = Problems.typeOf(reason);

        assertThat(problem.isRetryable()).contains(reason.next() == Next.RETRY);
        assertThat(NOTHING_DONE.contains(problem)).isEqualTo(reason.effect() == Effect.NONE);
        assertThat(problem == ProblemType.RESULT_UNREADABLE)
                .isEqualTo(reason.effect() == Effect.COMMITTED && reason.next() == Next.REPAIR);
    }

    @ParameterizedTest
    @CsvSource({
        "FOLLOW_UP_OWED, OUTCOME_UNKNOWN, 503",
        "FOLLOW_UP_MISSING, OUTCOME_UNKNOWN, 503",
        "RECORD_UNREADABLE, OUTCOME_UNRESOLVED, 500"
    })
    void effectThatMayBeThereIsNotDeniedAndTakesNoNewKey(Reason reason, ProblemType problem, int status) {
        assertThat(Problems.typeOf(reason)).isSameAs(problem);
        assertThat(problem.status()).isEqualTo(status);
        assertThat(problem.isRetryable()).contains(status == 503);
    }
}
