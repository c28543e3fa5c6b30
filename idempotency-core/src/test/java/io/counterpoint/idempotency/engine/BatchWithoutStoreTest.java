package io.counterpoint.idempotency.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Batch;
import io.counterpoint.idempotency.BatchResult;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException.Effect;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Operation.Protocol;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A database that is down: each question to it takes as long as a connection is waited for. */
class BatchWithoutStoreTest {

    private static final int ATTEMPTS = 100;

    /** A step without an answer is tried so often, and more often where something is to be settled. */
    private static final int TRIES = 6;

    /** Where a store notices that there is no connection. */
    enum At {
        OPEN,
        BEGIN
    }

    private final StandingClock clock = new StandingClock();
    private final InMemoryIdempotencyStore memory = new InMemoryIdempotencyStore(clock);
    private final List<Integer> worked = new ArrayList<>();
    private At at = At.OPEN;
    private boolean isDown;
    private boolean losesCommit;
    private boolean waitsForDurable;
    private Fault fault = Fault.CONNECTION_LOST;
    private int questions;

    private final FaultyMemory store = new FaultyMemory(memory) {
        @Override
        <T> T around(Call call, Supplier<T> made) {
            if (call != Call.BARRIER || waitsForDurable) {
                requireUp(
                        switch (call) {
                            case OPEN, OPEN_FOR_CLAIM -> At.OPEN;
                            case READ, BARRIER -> at;
                            case STEP, TRANSACTION -> At.BEGIN;
                        });
            }
            T answer = made.get();
            if (call == Call.TRANSACTION && losesCommit) {
                isDown = true;
                throw new StoreException("commit", Fault.CONNECTION_LOST, null);
            }
            return answer;
        }
    };

    private void requireUp(At here) {
        if (isDown && here == at) {
            questions++;
            throw new StoreException("down", fault, null);
        }
    }

    static Stream<Arguments> ways() {
        return Stream.of(Protocol.values())
                .flatMap(protocol -> Stream.of(BatchLimits.Mode.values()).map(mode -> Arguments.of(protocol, mode)));
    }

    private Batch<Transaction, String> batch(Protocol protocol, BatchLimits.Mode mode) {
        Operation<Transaction, String> operation = Idempotency.builder(store)
                .clock(clock)
                .build()
                .operation("operation", ResultCodec.string())
                .protocol(protocol)
                .build();
        return mode == BatchLimits.Mode.EACH_ITS_OWN
                ? Batch.inOwnTransactions(operation)
                : Batch.inOneTransaction(operation);
    }

    private static List<Attempt> attempts() {
        return IntStream.range(0, ATTEMPTS)
                .mapToObj(i ->
                        Attempt.inScope("user:1").key("k" + i % (ATTEMPTS - 5)).request("request"))
                .toList();
    }

    private List<BatchResult<String>> execute(Protocol protocol, BatchLimits.Mode mode, int downBefore) {
        return batch(protocol, mode).executeEach(attempts(), (handle, item) -> {
            if (item.index() == downBefore) {
                isDown = true;
                throw new StoreException("down", Fault.CONNECTION_LOST, null);
            }
            worked.add(item.index());
            return "result";
        });
    }

    private static void requireNotStarted(BatchResult<String> result) {
        assertThat(result.<Object>fold(outcome -> outcome, thrown -> thrown))
                .isInstanceOfSatisfying(
                        NotStartedException.class,
                        thrown -> assertThat(thrown.reason()).isEqualTo(Reason.STORE_UNREACHABLE));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void storeThatIsDownIsAskedOnce(Protocol protocol, BatchLimits.Mode mode) {
        isDown = true;

        assertThat(execute(protocol, mode, -1)).hasSize(ATTEMPTS).allSatisfy(BatchWithoutStoreTest::requireNotStarted);

        assertThat(questions).isOne();
        assertThat(worked).isEmpty();
        isDown = false;
        assertThat(execute(protocol, mode, -1))
                .allMatch(result -> result.asOptional().isPresent());
    }

    /** Whatever a pool throws in place of a connection. */
    @ParameterizedTest
    @MethodSource("ways")
    void poolThatIsClosedIsAskedOnce(Protocol protocol, BatchLimits.Mode mode) {
        isDown = true;
        fault = Fault.UNRECOGNISED;

        assertThat(execute(protocol, mode, -1)).hasSize(ATTEMPTS).allSatisfy(BatchWithoutStoreTest::requireNotStarted);

        assertThat(questions).isOne();
    }

    /** A connection that a pool has kept may be lost alone, so the first attempt is tried again as any call. */
    @ParameterizedTest
    @MethodSource("ways")
    void storeThatLosesEachConnectionIsAskedAsOftenAsByOneCall(Protocol protocol, BatchLimits.Mode mode) {
        isDown = true;
        at = At.BEGIN;

        List<BatchResult<String>> results = execute(protocol, mode, -1);

        // Claims that are committed alone may have arrived, and are settled.
        assertThat(questions).isLessThanOrEqualTo(4 * TRIES);
        assertThat(results.subList(1, ATTEMPTS)).allSatisfy(BatchWithoutStoreTest::requireNotStarted);
        assertThat(worked).isEmpty();
    }

    /** What is answered by then stands, and what has not begun is said not to have. */
    @ParameterizedTest
    @MethodSource("ways")
    void storeThatGoesDownInTheMiddleEndsWhatHasNotBegun(Protocol protocol, BatchLimits.Mode mode) {
        List<BatchResult<String>> results = execute(protocol, mode, 40);

        // What has begun is tried again, and then settled, as in any call.
        assertThat(questions).isLessThanOrEqualTo(4 * TRIES);
        assertThat(results.subList(41, ATTEMPTS)).allSatisfy(BatchWithoutStoreTest::requireNotStarted);
        isDown = false;
        List<BatchResult<String>> again = execute(protocol, mode, -1);
        for (int i = 0; i < ATTEMPTS; i++) {
            requireTrue(results.get(i), again.get(i));
        }
    }

    /** The commit has arrived, and nobody says so. */
    @ParameterizedTest
    @MethodSource("ways")
    void commitInDoubtIsUnknownWhereTheStoreStaysDown(Protocol protocol, BatchLimits.Mode mode) {
        losesCommit = true;

        List<BatchResult<String>> results = execute(protocol, mode, -1);

        losesCommit = false;
        isDown = false;
        assertThat(results.get(0).<Object>fold(outcome -> outcome, thrown -> thrown))
                .isInstanceOf(OutcomeUnknownException.class);
        int begun = worked.size();
        List<BatchResult<String>> again = execute(protocol, mode, -1);
        for (int i = 0; i < ATTEMPTS; i++) {
            requireTrue(results.get(i), again.get(i));
            boolean isRepeated = i >= ATTEMPTS - 5;
            if (i < begun && !isRepeated) {
                assertThat(results.get(i).<Object>fold(outcome -> outcome, thrown -> thrown))
                        .isInstanceOf(OutcomeUnknownException.class);
            }
        }
    }

    /** An attempt that ended as not started has no effect but that of its retry. */
    private static void requireTrue(BatchResult<String> result, BatchResult<String> again) {
        result.fold(
                outcome -> {
                    assertThat(again.orElseThrow()).isInstanceOf(Outcome.Replayed.class);
                    return true;
                },
                thrown -> {
                    if (thrown instanceof NotStartedException told) {
                        assertThat(told.reason().effect()).isEqualTo(Effect.NONE);
                    }
                    return true;
                });
    }

    /** Records that were read while the store was up answer without it. */
    @Test
    void knownKeysAreAnsweredThoughTheStoreGoesDown() {
        Batch<Transaction, String> batch = batch(Protocol.CLAIM_FIRST, BatchLimits.Mode.EACH_ITS_OWN);
        List<BatchResult<String>> first =
                batch.executeEach(attempts().subList(10, ATTEMPTS - 5), (handle, item) -> "result");
        assertThat(first).allMatch(result -> result.asOptional().isPresent());

        List<BatchResult<String>> results = execute(Protocol.CLAIM_FIRST, BatchLimits.Mode.EACH_ITS_OWN, 3);

        assertThat(results.subList(4, 10)).allSatisfy(BatchWithoutStoreTest::requireNotStarted);
        assertThat(results.subList(10, ATTEMPTS - 5))
                .allMatch(result -> result.asOptional().isPresent());
    }

    /** The commit of two others is in doubt, and a leader of a third key is at work. */
    @Test
    void knownKeyIsAnsweredThoughACommitOfTheBatchIsInDoubt() {
        Batch<Transaction, String> batch = batch(Protocol.RECORD_LAST, BatchLimits.Mode.ONE_TRANSACTION);
        List<Attempt> attempts = attempts().subList(0, 4);
        assertThat(batch.executeEach(attempts.subList(3, 4), (handle, item) -> "result"))
                .allMatch(result -> result.asOptional().isPresent());
        IdempotencyKey led =
                IdempotencyKey.inScope("user:1").operation("operation").value("k2");
        Pending pending = new Pending(
                led,
                IdempotencyRecord.Protocol.CLAIM_FIRST,
                UUID.randomUUID(),
                Fingerprint.ofParts("request"),
                Optional.empty(),
                Duration.ZERO);
        try (Session<Transaction> session = memory.open(led)) {
            Optional<IdempotencyRecord> unused = session.autoCommit(
                    steps -> steps.claim(pending, Duration.ofDays(1), Duration.ZERO, Durability.DURABLE));
        }
        losesCommit = true;

        List<BatchResult<String>> results = batch.executeEach(attempts, (handle, item) -> "result");

        assertThat(results.get(0).<Object>fold(outcome -> outcome, thrown -> thrown))
                .isInstanceOf(OutcomeUnknownException.class);
        requireNotStarted(results.get(2));
        assertThat(results.get(3).orElseThrow()).isInstanceOf(Outcome.Replayed.class);
    }

    /** Unless the store has to be asked whether they are durable. */
    @Test
    void knownKeysAreNotAnsweredWhereTheStoreHasToBeAsked() {
        Batch<Transaction, String> batch = batch(Protocol.CLAIM_FIRST, BatchLimits.Mode.EACH_ITS_OWN);
        List<BatchResult<String>> first =
                batch.executeEach(attempts().subList(10, ATTEMPTS - 5), (handle, item) -> "result");
        assertThat(first).allMatch(result -> result.asOptional().isPresent());
        waitsForDurable = true;

        List<BatchResult<String>> results = execute(Protocol.CLAIM_FIRST, BatchLimits.Mode.EACH_ITS_OWN, 3);

        assertThat(results.subList(4, ATTEMPTS)).allSatisfy(BatchWithoutStoreTest::requireNotStarted);
        assertThat(questions).isLessThanOrEqualTo(6 * TRIES);
    }
}
