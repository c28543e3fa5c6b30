package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Failed;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The age of a pending record, and the confirmation that changes nothing else. */
abstract class ConfirmContract<C> extends ContractTest<C> {

    ConfirmContract(Fixture<C> fixture) {
        super(fixture);
    }

    @Test
    void ageGrowsFromTheClaimAndBeginsAgainWithTheToken() {
        Pending first = plant(pending("k1"));
        letTimePass(Duration.ofMillis(2));
        Pending second = plant(pending("k2"));
        letTimePass(Duration.ofMillis(2));
        Duration ofSecond = age(found(second.key()));
        assertThat(age(found(first.key()))).isGreaterThan(ofSecond);

        autoCommit(transaction -> transaction.replaceToken(first.key(), first.token(), first.token()));

        Duration ofFirst = age(found(first.key()));
        assertThat(age(found(second.key()))).isGreaterThan(ofFirst);
        assertThat(ofFirst).isGreaterThanOrEqualTo(Duration.ZERO);
    }

    @Test
    void confirmationChangesNothingButTheAge() {
        Pending pending = plant(pending("pending"));
        Succeeded succeeded = plant(succeeded("succeeded"));
        Failed failed = plant(failed("failed"));
        letTimePass(Duration.ofMillis(20));
        long start = System.nanoTime();

        for (IdempotencyRecord record : List.of(pending, succeeded, failed)) {
            assertThat(changes(transaction -> transaction.confirm(record.key(), record.token())))
                    .isTrue();
            assertThat(ageless(found(record.key()))).isEqualTo(ageless(record));
        }
        Duration age = age(found(pending.key()));
        assertThat(age).isLessThan(Duration.ofNanos(System.nanoTime() - start).plusMillis(10));
    }

    @Test
    void confirmationOfAnotherTokenOrOfNothingIsNone() {
        Succeeded record = plant(succeeded("k"));

        assertThat(changes(transaction -> transaction.confirm(record.key(), UUID.randomUUID())))
                .isFalse();
        assertThat(changes(transaction -> transaction.confirm(key("absent"), record.token())))
                .isFalse();

        assertThat(found(record.key())).isEqualTo(record);
        assertThat(read(key("absent"))).isEmpty();
    }
}
