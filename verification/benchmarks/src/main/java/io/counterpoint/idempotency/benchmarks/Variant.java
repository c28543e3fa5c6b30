package io.counterpoint.idempotency.benchmarks;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One way to create a group with a key.
 *
 * @param name its name in tables
 * @param floor the name of the same statements written by hand; null if this is that variant, or if there is none
 * @param guarantee in one line, what callers can and cannot rely on
 * @param action the call that is measured
 * @param keys supplies a key for each call
 * @param expected the expected response of each call
 * @param size the number of calls that it represents
 */
record Variant(
        String name,
        @Nullable String floor,
        String guarantee,
        Action action,
        Supplier<String> keys,
        Answer expected,
        int size) {

    private static final String REPLAY = ", a replay";

    /** Leads with a new key each time. */
    Variant(String name, @Nullable String floor, String guarantee, Action action) {
        this(name, floor, guarantee, action, Keys::fresh, Answer.EXECUTED, 1);
    }

    /** The same without hand-written statements to compare with. */
    Variant(String name, String guarantee, Action action) {
        this(name, null, guarantee, action);
    }

    /** The same without a guarantee. */
    Variant(String name, Action action) {
        this(name, "", action);
    }

    /** The name for a variant's replays. */
    static String replay(String variant) {
        return variant + REPLAY;
    }

    /** The replays of this variant: with a different name, and for keys that have a result. */
    Variant asReplay(Supplier<String> known) {
        return new Variant(
                replay(name), floor == null ? null : replay(floor), guarantee, action, known, Answer.REPLAYED, size);
    }

    /** The same for keys that have a result. */
    Variant replaying(Supplier<String> known) {
        return new Variant(name, floor, guarantee, action, known, Answer.REPLAYED, size);
    }

    /** The same for other keys, which have no result. */
    Variant leading(Supplier<String> fresh) {
        return new Variant(name, floor, guarantee, action, fresh, Answer.EXECUTED, size);
    }

    Variant named(String other) {
        return new Variant(other, floor, guarantee, action, keys, expected, size);
    }

    /** The same with a different action. */
    Variant by(Action other) {
        return new Variant(name, floor, guarantee, other, keys, expected, size);
    }

    boolean isReplay() {
        return expected == Answer.REPLAYED;
    }

    /** Makes one call, which fails unless it returns the expected response. */
    void call() throws Exception {
        Answer answer = action.call(keys.get());
        if (answer != expected) {
            throw new IllegalStateException(name + " answered " + answer + ", expected " + expected);
        }
    }

    /** One call, on the thread that waits for its response. */
    @FunctionalInterface
    interface Action {
        Answer call(String key) throws Exception;
    }

    /** The kind of response. */
    enum Answer {
        EXECUTED,
        REPLAYED,
        IN_PROGRESS
    }
}
