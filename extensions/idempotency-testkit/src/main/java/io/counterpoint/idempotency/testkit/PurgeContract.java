package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The purge: deletes only terminal records past their retention, counted from claim and last change, and never more
 * than requested.
 */
abstract class PurgeContract<C> extends ContractTest<C> {

    private static final Duration MOMENT = Duration.ofMillis(1);

    PurgeContract(Fixture<C> fixture) {
        super(fixture);
    }

    private <T extends IdempotencyRecord> T plant(T record, Duration retention) {
        assertThat(claim(record, retention)).isEmpty();
        return record;
    }

    @Test
    void purgeTakesTerminalRecordsPastTheirRetention() {
        IdempotencyRecord succeeded = plant(succeeded("s"), MOMENT);
        IdempotencyRecord failed = plant(failed("f"), MOMENT);
        IdempotencyRecord lasting = plant(succeeded("lasting"), DAY);
        letTimePass(MOMENT.multipliedBy(2));

        assertThat(store.purgeExpired(100)).isEqualTo(2);

        assertThat(read(succeeded.key())).isEmpty();
        assertThat(read(failed.key())).isEmpty();
        assertThat(read(lasting.key())).isPresent();
        assertThat(store.purgeExpired(100)).isZero();
    }

    @Test
    void purgeNeverTakesAPendingRecord() {
        Pending pending = plant(pending("p"), MOMENT);
        Pending planned = plant(pending("planned", Optional.of(bytes("plan"))), MOMENT);
        letTimePass(MOMENT.multipliedBy(2));

        assertThat(store.purgeExpired(100)).isZero();

        assertThat(ageless(found(pending.key()))).isEqualTo(pending);
        assertThat(ageless(found(planned.key()))).isEqualTo(planned);
    }

    @Test
    void expiredRecordAnswersUntilItIsPurged() {
        IdempotencyRecord record = plant(succeeded("k"), MOMENT);
        letTimePass(MOMENT.multipliedBy(2));

        assertThat(claim(pending("k"))).contains(record);

        assertThat(store.purgeExpired(1)).isEqualTo(1);
        assertThat(claim(pending("k"))).isEmpty();
    }

    @Test
    void retentionIsCountedFromTheLastChangeAsWell() {
        // If a test is delayed for longer than the retention, it tries again with a longer one.
        for (Duration retention = Duration.ofMillis(300);
                retention.compareTo(Duration.ofSeconds(5)) < 0;
                retention = retention.multipliedBy(2)) {
            Pending record = plant(pending("k" + retention), retention);
            letTimePass(retention);
            Pending watch = plant(pending("watch" + retention), DAY);
            autoCommit(transaction -> transaction.succeed(record.key(), record.token(), Optional.empty()));

            store.purgeExpired(100);
            boolean kept = read(record.key()).isPresent();

            if (age(found(watch.key())).compareTo(retention) < 0) {
                assertThat(kept).isTrue();
                letTimePass(retention);
                assertThat(store.purgeExpired(100)).isPositive();
                assertThat(read(record.key())).isEmpty();
                return;
            }
        }
        throw new AssertionError("This machine is too slow to tell");
    }

    @Test
    void purgeKeepsToItsBatch() {
        for (int i = 0; i < 5; i++) {
            plant(succeeded("k" + i), MOMENT);
        }
        letTimePass(MOMENT.multipliedBy(2));

        assertThat(List.of(store.purgeExpired(2), store.purgeExpired(2), store.purgeExpired(2), store.purgeExpired(2)))
                .containsExactly(2, 2, 1, 0);
    }

    @Test
    void purgesAtOnceTakeEachRecordOnce() {
        for (int i = 0; i < 30; i++) {
            plant(succeeded("k" + i), MOMENT);
        }
        letTimePass(MOMENT.multipliedBy(2));

        List<Future<Integer>> purges = Stream.generate(() -> AnotherThread.begin(() -> store.purgeExpired(10)))
                .limit(4)
                .toList();
        int purged = purges.stream().mapToInt(AnotherThread::end).sum();

        assertThat(purged + store.purgeExpired(100)).isEqualTo(30);
    }

    @Test
    void purgeOfAnEmptyStoreTakesNothing() {
        assertThat(store.purgeExpired(1)).isZero();
    }
}
