package io.counterpoint.idempotency;

import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What an operation was built with. Written by the builders only, which check each value and hand out a copy. */
final class Settings<C, R> implements Cloneable {

    static final Duration LONGEST = Duration.ofDays(3650);

    final String name;
    final ResultCodec<R> codec;
    final IdempotencyStore<C> store;
    final IdempotencyListener listener;
    final IdempotencyClock clock;
    final Call.MetKeys metKeys;
    final UnfinishedAttempts unfinished;

    Protocol protocol;

    @Nullable
    LookUp<C, R> lookUp;

    boolean looksUpByPlan;

    Abandoned abandoned = Abandoned.FAIL;
    Duration grace = Duration.ofMinutes(1);
    Duration wait = Duration.ZERO;
    Duration retention = Duration.ofDays(1);
    Duration settle = Duration.ofSeconds(5);
    int retries = 3;
    int maxResultBytes = 64 * 1024;
    Predicate<? super Throwable> releases = thrown -> false;
    Predicate<? super Throwable> noEffect = thrown -> false;

    @Nullable
    Function<? super Throwable, Failure> describe;

    Settings(String name, ResultCodec<R> codec, Idempotency<C> idempotency, Protocol protocol) {
        IdempotencyKey.requireVisible("operation", name);
        this.name = name;
        this.codec = codec;
        this.store = idempotency.store();
        this.listener = idempotency.listener();
        this.clock = idempotency.clock();
        this.metKeys = idempotency.metKeys();
        this.unfinished = idempotency.unfinished();
        this.protocol = protocol;
    }

    Settings<C, R> copy() {
        try {
            @SuppressWarnings("unchecked")
            Settings<C, R> copy = (Settings<C, R>) clone();
            return copy;
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException(e);
        }
    }

    Duration positive(String what, Duration duration, Duration longest) {
        if (duration.isNegative() || duration.isZero() || duration.compareTo(longest) > 0) {
            throw refused(what + " has to be longer than zero and at most " + longest + ", found " + duration);
        }
        return duration;
    }

    int between(String what, int least, int most, int number) {
        if (number < least || number > most) {
            throw refused(what + " has to be from " + least + " to " + most + ", found " + number);
        }
        return number;
    }

    IllegalArgumentException refused(String why) {
        return new IllegalArgumentException("Operation " + name + ": " + why + ".");
    }

    /** What a follower does with a {@code Pending} record whose leader has given no sign of life for the grace period. */
    enum Abandoned {
        FAIL,
        TAKE_OVER,
        LEAVE
    }

    /** The user's work. There is a handle to get unless the effect is elsewhere. */
    interface Work<C, R> {
        R run(Supplier<C> handle, IdempotencyKey key, Optional<R> plan) throws Exception;
    }

    /** The user's look-up. There is a handle to get unless the effect is elsewhere. */
    interface LookUp<C, R> {
        Optional<R> find(Supplier<C> handle, IdempotencyKey key, Optional<R> plan) throws Exception;
    }
}
