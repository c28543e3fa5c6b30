package io.counterpoint.idempotency.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Outcome;
import java.lang.ref.WeakReference;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class OwnFailuresTest {

    private static final IdempotencyKey KEY = new IdempotencyKey("user:42", "create-group", "key");

    private static Outcome<String> rejected(Optional<Throwable> own) {
        return OwnFailures.with(new Outcome.Rejected<>(KEY, new Failure("name-taken", "message")), own);
    }

    @Test
    void ownFailureIsOfTheObjectAndNoPartOfWhatItSays() {
        IllegalStateException own = new IllegalStateException("own");
        Outcome<String> outcome = rejected(Optional.of(own));
        Outcome<String> equal = rejected(Optional.empty());

        assertThat(outcome.ownFailure()).containsSame(own);
        assertThat(equal.ownFailure()).isEmpty();
        assertThat(outcome).isEqualTo(equal).hasSameHashCodeAs(equal).hasToString(equal.toString());
    }

    @Test
    void exceptionOfTheOutcomeSuppressesIt() {
        IllegalStateException own = new IllegalStateException("own");
        assertThatThrownBy(rejected(Optional.of(own))::orElseThrow).hasSuppressedException(own);
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void ownFailureIsForgottenWithItsOutcome() {
        WeakReference<Throwable> thrown = new WeakReference<>(
                rejected(Optional.of(new Exception())).ownFailure().orElseThrow());
        while (thrown.get() != null) {
            System.gc();
            rejected(Optional.empty());
        }
    }
}
