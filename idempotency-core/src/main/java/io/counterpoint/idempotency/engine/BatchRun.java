package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.UnstorableResultException;
import io.counterpoint.idempotency.engine.Waiting.Moment;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One run of the user's work for attempts that lead together, and their results. */
final class BatchRun<C, R> {

    private static final int NOBODY = -1;

    private final UserCode.JointWork<C, R> work;
    private final long maxBytes;
    private final List<BatchCall<C, R>> calls;
    private List<R> results = List.of();

    /** The index of the attempt that an exception points to. */
    private int suspect = NOBODY;

    BatchRun(UserCode.JointWork<C, R> work, long maxBytes, List<BatchCall<C, R>> calls) {
        this.work = work;
        this.maxBytes = maxBytes;
        this.calls = calls;
    }

    /** Runs the work, in the order of the call. */
    void run(Supplier<C> handle) {
        List<Integer> leading = calls.stream().map(call -> call.place).toList();
        calls.forEach(call -> call.runs++);
        List<R> made = calls.get(0).interrupts().shownTo(() -> work.run(handle, leading, place -> suspect = place));
        suspect = NOBODY;
        results = new ArrayList<>(WrongResults.requireOneEach(calls.size(), made));
    }

    /** The encoded results, in the order of the call. A result that cannot be stored fails its own attempt. */
    List<Payload> payloads() {
        List<Payload> payloads = new ArrayList<>(calls.size());
        long bytes = 0;
        for (int place = 0; place < calls.size(); place++) {
            Call<C, R> call = calls.get(place);
            suspect = place;
            Payload payload = call.encode(resultAt(place, call.key));
            bytes += payload.length();
            payloads.add(payload);
        }
        suspect = NOBODY;
        if (bytes > maxBytes) {
            throw new UnstorableResultException(
                    Reason.RESULT_UNSTORABLE,
                    calls.get(0).key,
                    "the results of "
                            + calls.size()
                            + " attempts are "
                            + bytes
                            + " bytes long; one transaction stores at most "
                            + maxBytes,
                    null);
        }
        return payloads;
    }

    private R resultAt(int place, IdempotencyKey key) {
        R result = results.get(place);
        if (result == null) {
            throw new UnstorableResultException(
                    Reason.RESULT_UNSTORABLE,
                    key,
                    "the work returned no result for this attempt; return Done.DONE if there is nothing to return",
                    null);
        }
        return result;
    }

    /** Completes the attempts, whose results are committed. */
    void succeed() {
        for (int place = 0; place < calls.size(); place++) {
            calls.get(place).succeed(results.get(place));
        }
    }

    /** Leaves each attempt to resolve the commit, whose reply was lost. */
    void leaveInDoubt(Moment begun) {
        for (int place = 0; place < calls.size(); place++) {
            calls.get(place).leaveInDoubt(results.get(place), begun);
        }
    }

    /** Whether this was a run of exactly these attempts. */
    boolean isOf(List<BatchCall<C, R>> attempts) {
        return calls.size() == attempts.size();
    }

    /** The parts that run again after a rollback, each in its own transaction. */
    List<List<BatchCall<C, R>>> parts() {
        int size = calls.size();
        boolean pointed = suspect != NOBODY && suspect < size;
        int first = pointed ? suspect : size / 2;
        int second = pointed ? suspect + 1 : first;
        return List.of(calls.subList(0, first), calls.subList(first, second), calls.subList(second, size)).stream()
                .filter(part -> !part.isEmpty())
                .toList();
    }

    /** The work returned a different number of results than it received attempts, so they cannot be matched. */
    static final class WrongResults extends RuntimeException {
        private static final long serialVersionUID = 1L;

        /** Returns the results if there is one for each attempt. */
        static <R> List<R> requireOneEach(int attempts, @Nullable List<R> made) {
            if (made == null || made.size() != attempts) {
                throw new WrongResults(attempts, made);
            }
            return made;
        }

        private final String what;

        private WrongResults(int attempts, @Nullable List<?> made) {
            super(null, null, false, false);
            what = "the joint work received " + attempts + " attempts, returned "
                    + (made == null ? "no list" : made.size() + " results")
                    + ", and was rolled back; return one result per attempt, in their order";
        }

        String what() {
            return what;
        }

        @Override
        public String getMessage() {
            return what;
        }
    }
}
