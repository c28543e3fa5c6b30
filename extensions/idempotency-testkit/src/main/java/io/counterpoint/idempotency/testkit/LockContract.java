package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** The lock of a record: held until the transaction ends, then granted together with what was committed. */
abstract class LockContract<C> extends ContractTest<C> {

    private static final Duration AT_ONCE = Duration.ofMillis(900);
    private static final int TRIES = 10;

    LockContract(Fixture<C> fixture) {
        super(fixture);
    }

    @Test
    void failedTransactionHoldsNoLock() {
        Pending record = plant(pending("k"));
        assertThatThrownBy(() -> inTransaction(transaction -> {
                    claim(transaction, pending("other"));
                    transaction.lock(record.key(), Duration.ZERO);
                    throw new IllegalArgumentException("domain");
                }))
                .isInstanceOf(IllegalArgumentException.class);

        AnotherThread.run(() -> {
            assertThat(locked(record.key(), Duration.ZERO)).isPresent();
            assertThat(claim(pending("other"))).isEmpty();
        });
    }

    @Test
    void lockReadsTheRecordInEveryState() {
        for (IdempotencyRecord record : List.of(plant(pending("p")), plant(succeeded("s")), plant(failed("f")))) {
            assertThat(locked(record.key(), SHORT).map(ContractTest::ageless)).contains(record);
        }
        assertThat(locked(key("absent"), SHORT)).isEmpty();
        assertThat(locked(key("absent"), Duration.ZERO)).isEmpty();
    }

    @Test
    void lockIsHeldUntilTheTransactionEnds() {
        for (IdempotencyRecord record : List.of(plant(pending("p")), plant(succeeded("s")))) {
            inTransaction(transaction -> {
                transaction.lock(record.key(), SHORT);

                Throwable waited = AnotherThread.thrownBy(() -> locked(record.key(), SHORT));

                assertThat(faultOf(waited)).isEqualTo(Fault.LOCK_TIMEOUT);
                return true;
            });
            assertThat(AnotherThread.get(() -> locked(record.key(), Duration.ZERO)))
                    .isPresent();
        }
    }

    /** Repeated, because a store that waits does so every time, unlike a slow machine. */
    @Test
    void lockWithoutWaitFailsAtOnce() {
        Pending record = plant(pending("k"));
        inTransaction(transaction -> {
            transaction.succeed(record.key(), record.token(), Optional.empty());

            List<Duration> times = new ArrayList<>();
            do {
                long start = System.nanoTime();
                Throwable thrown = AnotherThread.thrownBy(() -> locked(record.key(), Duration.ZERO));

                times.add(Duration.ofNanos(System.nanoTime() - start));
                assertThat(faultOf(thrown)).isEqualTo(Fault.LOCK_TIMEOUT);
                assertThat(times).as("none is at once").hasSizeLessThan(TRIES);
            } while (times.get(times.size() - 1).compareTo(AT_ONCE) >= 0);
            return true;
        });
    }

    @Test
    void lockThatWaitedReadsWhatWasCommittedMeanwhile() {
        Pending marked = plant(pending("marked"));
        Pending replaced = plant(pending("replaced"));
        Pending released = plant(pending("released"));
        UUID fresh = UUID.randomUUID();
        List<Future<Optional<IdempotencyRecord>>> locks = new ArrayList<>();
        inTransaction(transaction -> {
            transaction.succeed(marked.key(), marked.token(), Optional.of(bytes("done")));
            transaction.replaceToken(replaced.key(), replaced.token(), fresh);
            transaction.release(released.key(), released.token());
            for (Pending record : List.of(marked, replaced, released)) {
                locks.add(AnotherThread.begin(() -> locked(record.key(), LONG)));
            }
            assertThat(locks).allMatch(AnotherThread::waits);
            return true;
        });

        assertThat(AnotherThread.end(locks.get(0)))
                .hasValueSatisfying(record -> assertThat(record).isInstanceOf(Succeeded.class));
        assertThat(AnotherThread.end(locks.get(1)))
                .hasValueSatisfying(record -> assertThat(record.token()).isEqualTo(fresh));
        assertThat(AnotherThread.end(locks.get(2))).isEmpty();
    }

    @Test
    void lockOfOneKeyLeavesTheOthersFree() {
        Pending first = plant(pending("k1"));
        Pending second = plant(pending("k2"));
        inTransaction(transaction -> {
            transaction.lock(first.key(), Duration.ZERO);

            assertThat(AnotherThread.get(() -> locked(second.key(), Duration.ZERO)))
                    .isPresent();
            return true;
        });
    }
}
