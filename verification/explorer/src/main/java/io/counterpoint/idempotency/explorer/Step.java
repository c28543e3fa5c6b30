package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.WorkScope;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * The call of one step, stored so that it can be executed late, or repeated when a database recovers. It never waits:
 * the explorer knows in advance whether it would.
 *
 * @param kind the kind of step
 * @param key the key of the record
 * @param detail its tokens
 * @param waitsNot whether it is rejected at once if the lock is held
 * @param mayBeLost whether it is a claim that need not survive a crash
 * @param action makes the call
 */
record Step(
        Kind kind,
        IdempotencyKey key,
        String detail,
        boolean waitsNot,
        boolean mayBeLost,
        BiFunction<? super RecordSteps, ? super WorkScope<Transaction>, ?> action) {

    static Step of(Kind kind, IdempotencyKey key, String detail, Function<? super RecordSteps, ?> action) {
        return new Step(kind, key, detail, false, false, (steps, unused) -> action.apply(steps));
    }

    /** Makes the call in its own transaction. */
    Object in(RecordSteps steps) {
        return in(steps, WorkScope.of(() -> {
            throw new IllegalStateException("A step in a transaction of its own has no handle: " + this);
        }));
    }

    /** Makes the call. A compare-and-set takes the record's lock first, as it would by itself, but without waiting. */
    Object in(RecordSteps steps, WorkScope<Transaction> scope) {
        if (kind.compareAndSet) {
            steps.lock(key, Duration.ZERO);
        }
        Object answer = action.apply(steps, scope);
        if (answer == null) {
            throw new IllegalStateException("A step answered null: " + this);
        }
        return answer;
    }

    /** Whether the record or the domain has changed. */
    boolean changed(Object answer) {
        return switch (kind) {
            case CLAIM -> ((Optional<?>) answer).isEmpty();
            case EFFECT, BOOKING -> true;
            case SUCCEED, FAIL, RELEASE, REPLACE_TOKEN, CHANGE_PROTOCOL, HEARTBEAT, CONFIRM -> answer.equals(true);
            case READ, GUESS, LOCK, LOOK_UP, WRITE_THE_SAME -> false;
        };
    }

    /** Whether a leader uses it to show that it is alive. */
    boolean isHeartbeat() {
        return kind == Kind.HEARTBEAT || kind == Kind.WRITE_THE_SAME;
    }

    /** Whether it ends an attempt. */
    boolean ends() {
        return kind == Kind.FAIL || kind == Kind.REPLACE_TOKEN || kind == Kind.CHANGE_PROTOCOL;
    }

    String code() {
        return kind.name() + key.value() + detail;
    }

    @Override
    public String toString() {
        return kind.words + " " + key.value() + (detail.isEmpty() ? "" : " (" + Names.inWords(detail) + ")");
    }

    enum Kind {
        CLAIM("claims", false),
        READ("reads", false),
        /** A read before a claim, which decides nothing. */
        GUESS("reads", false),
        LOCK("locks", false),
        SUCCEED("marks Succeeded", true),
        FAIL("marks Failed", true),
        RELEASE("releases", true),
        REPLACE_TOKEN("replaces the token", true),
        CHANGE_PROTOCOL("changes the protocol", true),
        HEARTBEAT("sends a heartbeat", true),
        CONFIRM("confirms", true),
        /** A heartbeat or confirmation that does not change the bytes. */
        WRITE_THE_SAME("writes what is there", true),
        LOOK_UP("looks the effect up", false),
        EFFECT("writes the effect", false),
        /** The follow-up of an external effect. */
        BOOKING("books the effect", false);

        private final String words;
        private final boolean compareAndSet;

        Kind(String words, boolean compareAndSet) {
            this.words = words;
            this.compareAndSet = compareAndSet;
        }

        boolean locksRecord() {
            return compareAndSet || this == LOCK;
        }

        /** Whether it changes the content of a record. */
        boolean marks() {
            return compareAndSet && this != CONFIRM;
        }

        boolean writes() {
            return this != READ && this != GUESS;
        }

        /** Whether it decides by what it finds, and therefore must see what is committed on any node. */
        boolean waitsForOtherNodes() {
            return this == READ || this == LOCK;
        }
    }
}
