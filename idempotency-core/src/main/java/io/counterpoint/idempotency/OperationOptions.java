package io.counterpoint.idempotency;

import io.counterpoint.idempotency.Operation.Abandoned;
import io.counterpoint.idempotency.engine.Environment;
import io.counterpoint.idempotency.engine.OperationSettings;
import io.counterpoint.idempotency.engine.Payloads;
import io.counterpoint.idempotency.engine.UserCode;
import io.counterpoint.idempotency.internal.Durations;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.time.Duration;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What the builders of operations have in common: options with their defaults and their validation. */
final class OperationOptions<C, R> extends CommonOptions {

    Operation.Protocol chosen = Operation.Protocol.CLAIM_FIRST;

    UserCode.@Nullable Search<C, R> lookUp;

    UserCode.@Nullable Then<C, R> then;

    /** Set if the plan is the request rather than the result. */
    Payloads.@Nullable Asking<R> asking;

    Abandoned abandoned = Abandoned.FAIL;
    Duration grace = Duration.ofMinutes(1);
    Duration remembered = Duration.ZERO;
    Predicate<? super Throwable> releases = NEVER;
    Predicate<? super Throwable> noEffect = NEVER;
    Predicate<? super Throwable> refused = NEVER;

    private final Environment<C> environment;
    private final String name;
    ResultCodec<R> codec;
    private final boolean external;

    OperationOptions(
            Environment<C> environment, CommonOptions defaults, String name, ResultCodec<R> codec, boolean external) {
        super(defaults);
        this.environment = environment;
        this.name = VisibleCharacters.require("operation", name);
        this.codec = codec;
        this.external = external;
        of = "Operation " + name;
    }

    void followedBy(UserCode.Then<C, R> followUp) {
        if (then != null) {
            throw refused("it already has a follow-up; do both in one");
        }
        then = followUp;
    }

    /** A snapshot of the current values. */
    OperationOptions<C, R> copy() {
        try {
            @SuppressWarnings("unchecked") // S is the type of this
            OperationOptions<C, R> copy = (OperationOptions<C, R>) clone();
            return copy;
        } catch (CloneNotSupportedException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    void remembered(Duration memory) {
        remembered = positive("the time that the provider remembers a key", memory, LONGEST);
    }

    OperationSettings<C, R> settings(Duration longestWait) {
        if (retention.compareTo(remembered) < 0) {
            throw refused("the retention must be at least as long as the provider remembers a key, "
                    + Durations.text(remembered) + ", found " + Durations.text(retention));
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
}
