package io.counterpoint.idempotency;

import io.counterpoint.idempotency.engine.UserCode;
import io.counterpoint.idempotency.internal.Durations;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The options common to operations of every kind, and their validation. */
class CommonOptions implements Cloneable {

    static final Duration LONGEST = Duration.ofDays(3650);

    static final Predicate<Throwable> NEVER = thrown -> false;

    /** How messages begin. */
    String of = "Defaults";

    Duration wait = Duration.ZERO;
    boolean waitSet;
    int maxWaiting = 100;
    Duration retention = Duration.ofDays(1);
    Duration settle = Duration.ofSeconds(5);
    int retries = 3;
    int maxResultBytes = 64 * 1024;
    Predicate<? super Throwable> retryOn = NEVER;

    @Nullable
    Function<? super Throwable, Failure> describe;

    CommonOptions() {}

    CommonOptions(CommonOptions defaults) {
        wait = defaults.wait;
        waitSet = defaults.waitSet;
        maxWaiting = defaults.maxWaiting;
        retention = defaults.retention;
        settle = defaults.settle;
        retries = defaults.retries;
        maxResultBytes = defaults.maxResultBytes;
        retryOn = defaults.retryOn;
        describe = defaults.describe;
    }

    /** Combines several such settings. One that throws counts as false, and the others are still consulted. */
    static Predicate<? super Throwable> either(
            Predicate<? super Throwable> before, Predicate<? super Throwable> added) {
        Objects.requireNonNull(added, "thrown");
        return before == NEVER ? added : thrown -> UserCode.says(before, thrown) || UserCode.says(added, thrown);
    }

    Duration positive(String what, Duration duration, Duration longest) {
        if (duration.isNegative() || duration.isZero() || duration.compareTo(longest) > 0) {
            throw refused(what + " must be positive and at most " + Durations.text(longest) + ", found "
                    + Durations.text(duration));
        }
        return duration;
    }

    int between(String what, int least, int most, int number) {
        if (number < least || number > most) {
            throw refused(what + " must be between " + least + " and " + most + ", found " + number);
        }
        return number;
    }

    IllegalArgumentException refused(String why) {
        return new IllegalArgumentException(of + ": " + why + ".");
    }
}
