package io.counterpoint.idempotency;

import io.counterpoint.idempotency.Operation.Abandoned;
import io.counterpoint.idempotency.engine.Environment;
import io.counterpoint.idempotency.engine.OperationSettings;
import io.counterpoint.idempotency.engine.Payloads;
import io.counterpoint.idempotency.engine.UserCode;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What the builders of operations have in common: values with their defaults, and how they are checked. */
final class OperationOptions<C, R> implements Cloneable {

    static final Duration LONGEST = Duration.ofDays(3650);

    static final Predicate<Throwable> NEVER = thrown -> false;

    Operation.Protocol chosen = Operation.Protocol.CLAIM_FIRST;

    UserCode.@Nullable Search<C, R> lookUp;

    UserCode.@Nullable Then<C, R> then;

    /** Set where a plan is not the result, but what was asked for. */
    Payloads.@Nullable Asking<R> asking;

    Abandoned abandoned = Abandoned.FAIL;
    Duration grace = Duration.ofMinutes(1);
    Duration wait = Duration.ZERO;
    boolean waitSet;
    int maxWaiting;
    Duration retention;
    Duration settle = Duration.ofSeconds(5);
    int retries = 3;
    int maxResultBytes = 64 * 1024;
    Duration remembered = Duration.ZERO;
    Predicate<? super Throwable> releases = NEVER;
    Predicate<? super Throwable> noEffect = NEVER;
    Predicate<? super Throwable> refused = NEVER;
    Predicate<? super Throwable> retryOn = NEVER;

    @Nullable
    Function<? super Throwable, Failure> describe;

    private final Environment<C> environment;
    private final String name;
    ResultCodec<R> codec;
    private final boolean external;

    OperationOptions(Environment<C> environment, String name, ResultCodec<R> codec, boolean external) {
        this.environment = environment;
        this.name = VisibleCharacters.require("operation", name);
        this.codec = codec;
        this.external = external;
        retention = environment.retention();
        maxWaiting = environment.maxWaiting();
    }

    /** Several such settings hold together. One that throws says nothing, and the others are asked. */
    static Predicate<? super Throwable> either(
            Predicate<? super Throwable> before, Predicate<? super Throwable> added) {
        Objects.requireNonNull(added, "thrown");
        return before == NEVER ? added : thrown -> UserCode.says(before, thrown) || UserCode.says(added, thrown);
    }

    void followedBy(UserCode.Then<C, R> followUp) {
        if (then != null) {
            throw refused("it has a follow-up already; do both in one");
        }
        then = followUp;
    }

    /** The values as they are now. */
    OperationOptions<C, R> copy() {
        try {
            @SuppressWarnings("unchecked") // is what this is
            OperationOptions<C, R> copy = (OperationOptions<C, R>) clone();
            return copy;
        } catch (CloneNotSupportedException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    void remembered(Duration memory) {
        remembered = positive("the memory of the other side", memory, LONGEST);
    }

    OperationSettings<C, R> settings(Duration longestWait) {
        if (retention.compareTo(remembered) < 0) {
            throw refused("the retention has to be at least as long as the other side remembers, " + remembered
                    + ", found " + retention);
        }
        if (environment.hasListener()) {
            String site = StackWalker.getInstance()
                    .walk(frames -> frames.dropWhile(
                                    frame -> !frame.getMethodName().equals("build"))
                            .skip(1)
                            .findFirst()
                            .map(Object::toString)
                            .orElse("?"));
            environment
                    .definitions()
                    .add(name, (external ? "external, " : "") + codec.getClass().getName() + ", built at " + site);
        }
        return new OperationSettings<>(
                name,
                protocol(),
                chosen == Operation.Protocol.RECORD_LAST,
                environment,
                new Payloads<>(codec, maxResultBytes, codec instanceof DoneCodec, asking),
                new UserCode<>(lookUp, then, releases, noEffect, refused, retryOn, describe),
                abandoned,
                grace,
                longestWait,
                maxWaiting,
                retention,
                settle,
                retries);
    }

    private Protocol protocol() {
        if (external) {
            return then == null ? Protocol.EXTERNAL : Protocol.EXTERNAL_THEN;
        }
        return chosen == Operation.Protocol.CLAIM_FIRST ? Protocol.CLAIM_FIRST : Protocol.SINGLE_TRANSACTION;
    }

    IdempotencyClock clock() {
        return environment.clock();
    }

    IdempotencyStore<C> store() {
        return environment.store();
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
}
