package io.counterpoint.idempotency.jdbc;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.ForwardingRecordSteps;
import io.counterpoint.idempotency.spi.ForwardingStore;
import io.counterpoint.idempotency.spi.ForwardingStore.ForwardingSession;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who reads for whom. That what is read is right, the contract shows on such a store. */
class CoalescedReadsTest {

    private static final Set<Thread.State> WAITING = EnumSet.of(Thread.State.WAITING, Thread.State.TIMED_WAITING);

    private final Queue<Set<IdempotencyKey>> batches = new ConcurrentLinkedQueue<>();
    private final Queue<IdempotencyKey> alone = new ConcurrentLinkedQueue<>();
    private final CountDownLatch held = new CountDownLatch(1);
    private final CountDownLatch readersAreHeld = new CountDownLatch(CoalescedReads.READERS);
    private final ExecutorService callers = Executors.newCachedThreadPool();
    private final Semaphore batchBegun = new Semaphore(0);
    private final Semaphore aloneBegun = new Semaphore(0);
    private volatile boolean refuses;
    private volatile boolean breaks;
    private final AtomicLong clock = new AtomicLong();
    private final AtomicLong wait = new AtomicLong();
    private final CoalescedReads reads = reads(0, this::readAll, this::readAlone);

    @AfterEach
    void end() {
        held.countDown();
        callers.shutdownNow();
    }

    @Test
    void callersBelowTheCrowdReadForThemselves() {
        CoalescedReads patient = reads(1, this::readAll, this::readAlone);
        assertThat(patient.read(key("a"))).contains(record("a"));
        assertThat(alone).containsExactly(key("a"));
        assertThat(batches).isEmpty();
    }

    /** A thread that an error has ended reads for nobody any more. */
    @Test
    void callerForWhomNobodyReadsReadsForItself() throws Exception {
        CoalescedReads hasty = reads(0, this::readAll, this::readAlone, Duration.ofMillis(1));
        List<Future<?>> early = holdAllReaders(hasty);
        assertThat(callers.submit(() -> hasty.read(key("late"))).get(30, SECONDS))
                .contains(record("late"));
        assertThat(alone).contains(key("late"));
        held.countDown();
        for (Future<?> caller : early) {
            caller.get(30, SECONDS);
        }
    }

    @Test
    void fewCallersShareWhileConnectionsKeepThemWaitingAndReadForThemselvesAgainAfterwards() throws Exception {
        CountDownLatch again = new CountDownLatch(1);
        CoalescedReads few = reads(2, this::readAll, key -> {
            Optional<IdempotencyRecord> found = readAlone(key);
            if (key.value().equals("held-again")) {
                awaitQuietly(again);
            }
            return found;
        });
        wait.set(2);
        few.read(key("a"));
        awaitOne(aloneBegun);
        wait.set(0);
        Future<?> first = callers.submit(() -> few.read(key("held")));
        awaitOne(aloneBegun);
        Future<?> second = callers.submit(() -> few.read(key("b")));
        awaitOne(batchBegun);
        Future<?> third = callers.submit(() -> few.read(key("c")));
        awaitOne(batchBegun);
        assertThat(batches).containsExactly(Set.of(key("b")), Set.of(key("c")));

        held.countDown();
        for (Future<?> caller : List.of(first, second, third)) {
            caller.get(30, SECONDS);
        }
        Future<?> heldAgain = callers.submit(() -> few.read(key("held-again")));
        awaitOne(aloneBegun);
        few.read(key("d"));
        assertThat(alone).containsExactly(key("a"), key("held"), key("held-again"), key("d"));
        again.countDown();
        heldAgain.get(30, SECONDS);
    }

    /** Others come all the time, and every statement ends at a moment of this test's choice. */
    @Test
    void callersAreServedInTheOrderInWhichTheyCameABatchAtATime() throws Exception {
        Semaphore begun = new Semaphore(0);
        Semaphore goOn = new Semaphore(0);
        CoalescedReads fair = reads(
                0,
                keys -> {
                    batches.add(keys);
                    begun.release();
                    goOn.acquireUninterruptibly();
                    return Map.of();
                },
                this::readAlone);
        List<Future<Optional<IdempotencyRecord>>> waiting = new ArrayList<>();
        for (int i = 0; i < CoalescedReads.READERS; i++) {
            String name = "early-" + i;
            waiting.add(callers.submit(() -> fair.read(key(name))));
            awaitOne(begun);
        }
        batches.clear();
        int came = 0;
        for (int batch = 0; batch < 2; batch++) {
            int from = came;
            int more = batch == 0 ? CoalescedReads.BATCH * 3 / 2 : CoalescedReads.BATCH / 2;
            waiting.addAll(waiting(fair, more, number -> "late-" + (from + number)));
            came += more;
            goOn.release();
            awaitOne(begun);
        }
        int of = 0;
        for (Set<IdempotencyKey> batch : batches) {
            int first = of++ * CoalescedReads.BATCH;
            int last = Math.min(came, first + CoalescedReads.BATCH);
            assertThat(batch)
                    .containsExactlyElementsOf(IntStream.range(first, last)
                            .mapToObj(number -> key("late-" + number))
                            .toList());
        }
        assertThat(batches).hasSize(2);
        goOn.release(2 * CoalescedReads.READERS);
        for (Future<?> caller : waiting) {
            caller.get(30, SECONDS);
        }
    }

    @Test
    void firstCallerReadsAtOnce() {
        held.countDown();
        assertThat(reads.read(key("a"))).contains(record("a"));
        assertThat(batches).containsExactly(Set.of(key("a")));
    }

    @Test
    void thoseWhoComeMeanwhileAreReadTogetherAndEachLearnsItsOwn() throws Exception {
        List<Future<?>> early = holdAllReaders();
        List<Future<Optional<IdempotencyRecord>>> late = waiting(40, number -> "late-" + number % 20);
        held.countDown();

        for (int i = 0; i < late.size(); i++) {
            assertThat(late.get(i).get(30, SECONDS)).contains(record("late-" + i % 20));
        }
        for (Future<?> reader : early) {
            reader.get(30, SECONDS);
        }
        assertThat(batches).hasSizeLessThanOrEqualTo(2 * CoalescedReads.READERS).noneMatch(Set::isEmpty);
        assertThat(alone).isEmpty();
    }

    @Test
    void absentRecordIsAbsent() throws Exception {
        holdAllReaders();
        List<Future<Optional<IdempotencyRecord>>> late = waiting(2, number -> "absent-" + number);
        held.countDown();
        assertThat(late.get(0).get(30, SECONDS)).isEmpty();
        assertThat(late.get(1).get(30, SECONDS)).isEmpty();
    }

    @Test
    void statementIsBounded() throws Exception {
        holdAllReaders();
        List<Future<Optional<IdempotencyRecord>>> late = waiting(CoalescedReads.BATCH * 2, number -> "late-" + number);
        held.countDown();
        for (Future<?> caller : late) {
            caller.get(30, SECONDS);
        }
        assertThat(batches).allMatch(batch -> batch.size() <= CoalescedReads.BATCH);
    }

    @Test
    void thoseWhoseBatchFailsReadByThemselves() throws Exception {
        refuses = true;
        held.countDown();
        assertThat(reads.read(key("a"))).contains(record("a"));
        assertThat(alone).containsExactly(key("a"));

        assertThatThrownBy(() -> reads.read(key("broken"))).hasMessage("broken");
        refuses = false;
        assertThat(reads.read(key("b"))).contains(record("b"));
    }

    @Test
    void errorOfAReaderForgetsNobody() throws Exception {
        breaks = true;
        List<Future<?>> early = holdAllReaders();
        List<Future<Optional<IdempotencyRecord>>> late = waiting(3, number -> "late-" + number);
        held.countDown();
        for (Future<?> reader : early) {
            assertThatThrownBy(() -> reader.get(30, SECONDS)).hasCauseInstanceOf(StackOverflowError.class);
        }
        // The scheduler decides which of them have read, and met the error.
        Set<IdempotencyKey> others = new HashSet<>();
        for (int i = 0; i < late.size(); i++) {
            try {
                assertThat(late.get(i).get(30, SECONDS)).contains(record("late-" + i));
                others.add(key("late-" + i));
            } catch (ExecutionException thrown) {
                assertThat(thrown).hasCauseInstanceOf(StackOverflowError.class);
            }
        }
        assertThat(alone).containsExactlyInAnyOrderElementsOf(others).hasSizeLessThan(late.size());
        breaks = false;
        assertThat(callers.submit(() -> reads.read(key("a"))).get(30, SECONDS)).contains(record("a"));
    }

    @Test
    void interruptedCallerLeavesAndNobodyIsForgotten() throws Exception {
        holdAllReaders();
        AtomicReference<Thread> interrupted = new AtomicReference<>();
        CountDownLatch left = new CountDownLatch(1);
        Future<Boolean> leaver = callers.submit(() -> {
            interrupted.set(Thread.currentThread());
            assertThat(reads.read(key("leaver"))).contains(record("leaver"));
            boolean stillInterrupted = Thread.interrupted();
            left.countDown();
            return stillInterrupted;
        });
        awaitParked(interrupted);
        List<Future<Optional<IdempotencyRecord>>> late = waiting(3, number -> "late-" + number);
        interrupted.get().interrupt();

        assertThat(left.await(30, SECONDS)).isTrue();
        assertThat(leaver.get()).as("the interrupt is kept").isTrue();
        assertThat(alone).containsExactly(key("leaver"));
        held.countDown();
        for (Future<?> caller : late) {
            caller.get(30, SECONDS);
        }
        assertThat(batches).noneMatch(batch -> batch.contains(key("leaver")));
    }

    /** It is unparked to read for the concurrent callers, and interrupted: as far as it can see, both at once. */
    @Test
    void interruptedCallerThatWasWokenToReadWakesTheNext() throws Exception {
        List<Future<?>> early = holdAllReaders();
        CountDownLatch readersAreGone = new CountDownLatch(1);
        FutureTask<Optional<IdempotencyRecord>> leaver = new FutureTask<>(() -> reads.read(key("leaver")));
        AtomicReference<Thread> leaving = new AtomicReference<>(new Thread(leaver) {
            @Override
            public boolean isInterrupted() {
                awaitQuietly(readersAreGone);
                return true;
            }
        });
        leaving.get().start();
        awaitParked(leaving);
        List<Future<Optional<IdempotencyRecord>>> late = waiting(1, number -> "late");
        held.countDown();
        for (Future<?> reader : early) {
            reader.get(30, SECONDS);
        }
        readersAreGone.countDown();
        assertThat(leaver.get(30, SECONDS)).contains(record("leaver"));
        assertThat(late.get(0).get(30, SECONDS)).contains(record("late"));
        assertThat(alone).as("callers whose patience was at its end").containsExactly(key("leaver"));
    }

    /** It wakes by itself, as threads may, while another caller is reading for it. */
    @Test
    void callerThatOthersReadForTakesNoPlaceOfAReader() throws Exception {
        List<CountDownLatch> statements = new CopyOnWriteArrayList<>();
        Semaphore begun = new Semaphore(0);
        CoalescedReads roomy = reads(
                0,
                keys -> {
                    CountDownLatch end = new CountDownLatch(1);
                    statements.add(end);
                    begun.release();
                    awaitQuietly(end);
                    return Map.of();
                },
                this::readAlone);
        List<Future<?>> early = new ArrayList<>();
        for (int i = 0; i < CoalescedReads.READERS; i++) {
            String name = "early-" + i;
            early.add(callers.submit(() -> roomy.read(key(name))));
            awaitOne(begun);
        }
        waiting(roomy, 1, number -> "reader");
        Semaphore woken = new Semaphore(0);
        AtomicReference<Thread> other = new AtomicReference<>(new Thread(() -> roomy.read(key("other"))) {
            @Override
            public boolean isInterrupted() {
                woken.release();
                return super.isInterrupted();
            }
        });
        other.get().start();
        awaitParked(other);
        statements.get(0).countDown();
        awaitOne(begun);
        statements.get(1).countDown();
        early.get(0).get(30, SECONDS);
        early.get(1).get(30, SECONDS);

        LockSupport.unpark(other.get());
        awaitOne(woken);
        awaitParked(other);

        Future<?> next = callers.submit(() -> roomy.read(key("next")));
        awaitOne(begun);
        statements.forEach(CountDownLatch::countDown);
        next.get(30, SECONDS);
    }

    /** The readers read the very key before the caller asks for it, and answer after that. */
    @Test
    void answerThatWasReadBeforeItsCallerAskedIsNoAnswer() throws Exception {
        AtomicInteger version = new AtomicInteger(1);
        CountDownLatch answer = new CountDownLatch(1);
        AtomicInteger reading = new AtomicInteger();
        CoalescedReads versioned = reads(
                0,
                keys -> {
                    Map<IdempotencyKey, IdempotencyRecord> found = new HashMap<>();
                    keys.forEach(key -> found.put(key, record(key.value(), version.get())));
                    reading.incrementAndGet();
                    awaitQuietly(answer);
                    return found;
                },
                key -> Optional.of(record(key.value(), version.get())));
        List<Future<Optional<IdempotencyRecord>>> before = new ArrayList<>();
        for (int i = 0; i < CoalescedReads.READERS; i++) {
            before.add(callers.submit(() -> versioned.read(key("key"))));
            while (reading.get() <= i) {
                Thread.onSpinWait();
            }
        }
        version.set(2);
        List<Future<Optional<IdempotencyRecord>>> after = waiting(versioned, 8, number -> "key");
        answer.countDown();
        for (Future<Optional<IdempotencyRecord>> caller : before) {
            assertThat(caller.get(30, SECONDS)).contains(record("key", 1));
        }
        for (Future<Optional<IdempotencyRecord>> caller : after) {
            assertThat(caller.get(30, SECONDS)).contains(record("key", 2));
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void crowdIsServedToTheLast() throws Exception {
        held.countDown();
        List<Future<?>> crowd = new ArrayList<>();
        for (int caller = 0; caller < 64; caller++) {
            String name = "k" + caller % 7;
            crowd.add(callers.submit(() -> {
                for (int i = 0; i < 500; i++) {
                    assertThat(reads.read(key(name))).contains(record(name));
                }
            }));
        }
        for (Future<?> caller : crowd) {
            caller.get(60, SECONDS);
        }
        assertThat(alone).isEmpty();
    }

    // ---- the store ------------------------------------------------------------------------------------------------

    /** Every statement waits for its connection as long as the test says, and for its answer one nanosecond. */
    private CoalescedReads reads(
            int few,
            Function<Set<IdempotencyKey>, Map<IdempotencyKey, IdempotencyRecord>> all,
            Function<IdempotencyKey, Optional<IdempotencyRecord>> one) {
        return reads(few, all, one, CoalescedReads.PATIENCE);
    }

    private CoalescedReads reads(
            int few,
            Function<Set<IdempotencyKey>, Map<IdempotencyKey, IdempotencyRecord>> all,
            Function<IdempotencyKey, Optional<IdempotencyRecord>> one,
            Duration patience) {
        IdempotencyStore<Transaction> store = new ForwardingStore<>(new InMemoryIdempotencyStore()) {
            @Override
            protected Session<Transaction> decorate(Session<Transaction> session) {
                clock.addAndGet(wait.get());
                return new ForwardingSession<>(session) {
                    @Override
                    public <T> T autoCommit(Function<? super RecordSteps, ? extends T> step) {
                        clock.incrementAndGet();
                        return super.autoCommit(steps -> step.apply(new ForwardingRecordSteps(steps) {
                            @Override
                            public Optional<IdempotencyRecord> read(IdempotencyKey key) {
                                return one.apply(key);
                            }

                            @Override
                            public Map<IdempotencyKey, IdempotencyRecord> readAll(List<IdempotencyKey> keys) {
                                return all.apply(new LinkedHashSet<>(keys));
                            }
                        }));
                    }
                };
            }
        };
        return new CoalescedReads(store, new AdaptiveLimit(few, clock::get), patience);
    }

    private static void awaitOne(Semaphore begun) throws InterruptedException {
        assertThat(begun.tryAcquire(30, SECONDS)).isTrue();
    }

    private Map<IdempotencyKey, IdempotencyRecord> readAll(Set<IdempotencyKey> keys) {
        batches.add(keys);
        batchBegun.release();
        readersAreHeld.countDown();
        try {
            held.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        if (refuses) {
            throw new IllegalStateException("refused");
        }
        if (breaks) {
            throw new StackOverflowError("broken");
        }
        Map<IdempotencyKey, IdempotencyRecord> found = new HashMap<>();
        keys.forEach(key -> find(key).ifPresent(record -> found.put(key, record)));
        return found;
    }

    private Optional<IdempotencyRecord> readAlone(IdempotencyKey key) {
        alone.add(key);
        aloneBegun.release();
        if (key.value().equals("held")) {
            awaitQuietly(held);
        }
        if (key.value().equals("broken")) {
            throw new IllegalStateException("broken");
        }
        return find(key);
    }

    private static Optional<IdempotencyRecord> find(IdempotencyKey key) {
        return key.value().startsWith("absent") ? Optional.empty() : Optional.of(record(key.value()));
    }

    private static IdempotencyKey key(String value) {
        return IdempotencyKey.inScope("scope").operation("operation").value(value);
    }

    private static IdempotencyRecord record(String value) {
        return record(value, 1);
    }

    private static IdempotencyRecord record(String value, int version) {
        return new Succeeded(
                key(value), Protocol.CLAIM_FIRST, new UUID(0, version), Fingerprint.ofParts(value), Optional.empty());
    }

    // ---- the callers ----------------------------------------------------------------------------------------------

    private List<Future<?>> holdAllReaders() throws InterruptedException {
        return holdAllReaders(reads);
    }

    private List<Future<?>> holdAllReaders(CoalescedReads through) throws InterruptedException {
        List<Future<?>> early = new ArrayList<>();
        for (int i = 0; i < CoalescedReads.READERS; i++) {
            String name = "early-" + i;
            early.add(callers.submit(() -> through.read(key(name))));
            while (batches.size() <= i) {
                Thread.onSpinWait();
            }
        }
        assertThat(readersAreHeld.await(30, SECONDS)).isTrue();
        return early;
    }

    private List<Future<Optional<IdempotencyRecord>>> waiting(int count, IntFunction<String> name) {
        return waiting(reads, count, name);
    }

    private List<Future<Optional<IdempotencyRecord>>> waiting(
            CoalescedReads through, int count, IntFunction<String> name) {
        List<Future<Optional<IdempotencyRecord>>> waiting = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            AtomicReference<Thread> caller = new AtomicReference<>();
            String value = name.apply(i);
            waiting.add(callers.submit(() -> {
                caller.set(Thread.currentThread());
                return through.read(key(value));
            }));
            awaitParked(caller);
        }
        return waiting;
    }

    private static void awaitParked(AtomicReference<Thread> thread) {
        while (thread.get() == null || !WAITING.contains(thread.get().getState())) {
            Thread.onSpinWait();
        }
    }
}
