package io.counterpoint.idempotency.benchmarks;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One way to create a group under a key.
 *
 * @param name what tables call it
 * @param floor the name of the same statements written by hand; null if this is one, or if there is none
 * @param guarantee in one line, what a caller may rely on, and what not
 * @param action the call that is measured
 * @param keys one for each call
 * @param expected what each call answers
 * @param size how many calls it stands for
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

    /** Leads with a fresh key each time. */
    Variant(String name, @Nullable String floor, String guarantee, Action action) {
        this(name, floor, guarantee, action, Keys::fresh, Answer.EXECUTED, 1);
    }

    /** The same where the statements are not written by hand too. */
    Variant(String name, String guarantee, Action action) {
        this(name, null, guarantee, action);
    }

    /** The same where nothing says what it guarantees. */
    Variant(String name, Action action) {
        this(name, "", action);
    }

    /** What the replays of a variant are called. */
    static String replay(String variant) {
        return variant + REPLAY;
    }

    /** The same beside its leading calls: under another name, and for keys that have their answer. */
    Variant asReplay(Supplier<String> known) {
        return new Variant(
                replay(name), floor == null ? null : replay(floor), guarantee, action, known, Answer.REPLAYED, size);
    }

    /** The same for keys that have their answer. */
    Variant replaying(Supplier<String> known) {
        return new Variant(name, floor, guarantee, action, known, Answer.REPLAYED, size);
    }

    /** The same for other keys without an answer. */
    Variant leading(Supplier<String> fresh) {
        return new Variant(name, floor, guarantee, action, fresh, Answer.EXECUTED, size);
    }

    Variant named(String other) {
        return new Variant(other, floor, guarantee, action, keys, expected, size);
    }

    /** The same by another action. */
    Variant by(Action other) {
        return new Variant(name, floor, guarantee, other, keys, expected, size);
    }

    boolean isReplay() {
        return expected == Answer.REPLAYED;
    }

    /** Calls once; any other answer than the expected one is a failure. */
    void call() throws Exception {
        Answer answer = action.call(keys.get());
        if (answer != expected) {
            throw new IllegalStateException(name + " answered " + answer + ", expected " + expected);
        }
    }

    /** One call, by the thread that waits for its answer. */
    @FunctionalInterface
    interface Action {
        Answer call(String key) throws Exception;
    }

    /** What a call said. */
    enum Answer {
        EXECUTED,
        REPLAYED,
        IN_PROGRESS
    }
}
