package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.internal.CallEffects;
import io.counterpoint.idempotency.internal.Rethrow;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The configuration of an operation, as far as it matters to the protocol. */
final class Configuration implements Cloneable {

    enum Protocol {
        CLAIM_FIRST,
        SINGLE_TRANSACTION,
        RECORD_LAST,
        EXTERNAL
    }

    /** Who calls for an external effect, and how. */
    enum Way {
        EXECUTES,
        EXECUTES_ASYNCHRONOUSLY,
        /** An operator who lets the lookup decide. */
        SETTLES,
        /** An operator who has checked in person. */
        RESOLVES
    }

    enum Abandoned {
        FAIL,
        TAKE_OVER,
        LEAVE
    }

    /** All callers use the same key. */
    static final IdempotencyKey KEY = key("key");

    /** The key under which bookings of external effects are counted. */
    static final IdempotencyKey BOOKING = key("booking");

    static final Duration GRACE = Duration.ofMinutes(1);
    static final Duration RETENTION = Duration.ofDays(1);

    /** Not longer than one sleep. */
    private static final Duration WAIT = Duration.ofSeconds(2);

    private final Protocol protocol;
    private final Abandoned abandoned;
    private boolean planned;
    private boolean looksUp;
    private boolean releases;
    private boolean waits;
    private int retries;
    private boolean believesEverything;
    private boolean probablyClaimed;
    private boolean endsTransactions;
    private boolean takesTurns;
    private Supplier<? extends Throwable> noConnection = Injected::lost;
    private @Nullable Supplier<? extends Throwable> lost;
    private UnaryOperator<Throwable> ofWork = UnaryOperator.identity();
    private boolean followsUp;
    private Way way = Way.EXECUTES;
    private String request = "request";

    private Configuration(Protocol protocol, Abandoned abandoned) {
        this.protocol = protocol;
        this.abandoned = abandoned;
    }

    static Configuration claimFirst(Abandoned abandoned) {
        return new Configuration(Protocol.CLAIM_FIRST, abandoned);
    }

    static Configuration singleTransaction() {
        return new Configuration(Protocol.SINGLE_TRANSACTION, Abandoned.FAIL);
    }

    static Configuration recordLast(Abandoned abandoned) {
        return new Configuration(Protocol.RECORD_LAST, abandoned);
    }

    /** An external effect that followers look up. */
    static Configuration external() {
        return new Configuration(Protocol.EXTERNAL, Abandoned.LEAVE).lookingUp();
    }

    /** Adds a follow-up in the database to the external effect, if the work has produced that. */
    Configuration followingUp() {
        return with(one -> one.followsUp = true);
    }

    /** Sets how the caller gets its outcome. */
    Configuration by(Way other) {
        return with(one -> one.way = other);
    }

    boolean followsUp() {
        return followsUp;
    }

    static IdempotencyKey key(String value) {
        return IdempotencyKey.inScope("user:1").operation("operation").value(value);
    }

    static Attempt attempt(IdempotencyKey key) {
        return Attempt.inScope(key.scope()).key(key.value()).request("request");
    }

    private Configuration with(Consumer<Configuration> change) {
        try {
            Configuration changed = (Configuration) clone();
            change.accept(changed);
            return changed;
        } catch (CloneNotSupportedException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** The result is known before the work. */
    Configuration withPlan() {
        return with(one -> one.planned = true);
    }

    /** Followers look the effect up. */
    Configuration lookingUp() {
        return with(one -> one.looksUp = true);
    }

    /** A failed key is released. */
    Configuration releasing() {
        return with(one -> one.releases = true);
    }

    /** Followers wait. */
    Configuration waiting() {
        return with(one -> one.waits = true);
    }

    /** The work runs again. */
    Configuration retrying() {
        return retrying(1);
    }

    Configuration retrying(int times) {
        return with(one -> one.retries = times);
    }

    /** Every exception from external work is declared to mean that there is no effect, which is a lie. */
    Configuration believingEverything() {
        return with(one -> one.believesEverything = true);
    }

    /** Sessions report that the key seems claimed, whether or not it is. */
    Configuration seemingClaimed() {
        return with(one -> one.probablyClaimed = true);
    }

    /** A failing run of the work fails by ending its transaction with an SQL statement. */
    Configuration endingTransactions() {
        return with(one -> one.endsTransactions = true);
    }

    /** Callers wait for the turn of their key. */
    Configuration takingTurns() {
        return with(one -> one.takesTurns = true);
    }

    /** Sets the exception from a pool that has no connection, or from this library when it rejects one. */
    Configuration refusing(Supplier<? extends Throwable> thrown) {
        return with(one -> one.noConnection = thrown);
    }

    /** Sets the exception for each lost reply, and for a missing connection. */
    Configuration losing(Supplier<? extends Throwable> thrown) {
        return with(one -> {
            one.noConnection = thrown;
            one.lost = thrown;
        });
    }

    /** Wraps the exception from failing work. */
    Configuration throwing(UnaryOperator<Throwable> thrown) {
        return with(one -> one.ofWork = thrown);
    }

    /** Sets the request. */
    Configuration requesting(String other) {
        return with(one -> one.request = other);
    }

    Throwable noConnection() {
        return noConnection.get();
    }

    /** What is thrown to the caller's engine if a request has failed. */
    Throwable thrownFor(Throwable fault) {
        if (fault instanceof WorkFailed) {
            return ofWork.apply(fault);
        }
        return lost != null && fault instanceof Injected injected && injected.isLost() ? lost.get() : fault;
    }

    /** Whether the caller's clock may throw like its store. */
    boolean losesAnything() {
        return lost != null;
    }

    String request() {
        return request;
    }

    /** The attempt of a call, and the counter of its effects. */
    Attempt attempt(CallEffects calls) {
        return Attempt.inScope(KEY.scope()).key(KEY.value()).request(request).countedBy(calls);
    }

    Protocol protocol() {
        return protocol;
    }

    Abandoned abandoned() {
        return abandoned;
    }

    boolean planned() {
        return planned;
    }

    boolean releases() {
        return releases;
    }

    boolean probablyClaimed() {
        return probablyClaimed;
    }

    boolean takesTurns() {
        return takesTurns;
    }

    boolean endsTransactions() {
        return endsTransactions;
    }

    /** Whether a release proves that earlier runs are never committed. */
    boolean excludesOlderRuns() {
        return protocol != Protocol.RECORD_LAST && !planned;
    }

    boolean isExternal() {
        return protocol == Protocol.EXTERNAL;
    }

    /** Whether a call after the grace period always learns more than that a leader may be working. */
    boolean endsEverything() {
        return !isExternal() && abandoned != Abandoned.LEAVE;
    }

    private boolean means(Throwable thrown) {
        return believesEverything
                || WorkFailed.in(thrown).filter(WorkFailed::declared).isPresent();
    }

    /** Makes one call on this thread. */
    Outcome<String> call(Idempotency<Transaction> idempotency, Attempt attempt, UserCode code) {
        return isExternal() ? callExternal(idempotency, attempt, code) : callHere(idempotency, attempt, code);
    }

    private Outcome<String> callHere(Idempotency<Transaction> idempotency, Attempt attempt, UserCode code) {
        Operation.Builder<Transaction, String> builder =
                set(idempotency.operation(KEY.operation(), ResultCodec.string()));
        if (looksUp) {
            builder.lookUpByKey((handle, key) -> code.lookUp());
        }
        return planned
                ? builder.planned().build().execute(attempt, code::freshValue, (handle, plan) -> code.write(plan))
                : builder.build().execute(attempt, handle -> code.write(code.freshValue()));
    }

    /** Configures an operation with an effect in the database. */
    <R> Operation.Builder<Transaction, R> set(Operation.Builder<Transaction, R> builder) {
        builder.retention(RETENTION).maxRetries(retries);
        if (protocol == Protocol.SINGLE_TRANSACTION) {
            builder.protocol(Operation.Protocol.SINGLE_TRANSACTION);
        } else if (waits) {
            builder.waitAtMost(WAIT);
        }
        if (protocol == Protocol.RECORD_LAST) {
            builder.protocol(Operation.Protocol.RECORD_LAST);
        }
        decideAbandoned(builder);
        if (releases) {
            builder.releaseOn(this::means);
        }
        return builder;
    }

    private void decideAbandoned(Operation.Builder<Transaction, ?> builder) {
        switch (abandoned) {
            case FAIL -> builder.whenAbandoned(Operation.Abandoned.FAIL, GRACE);
            case TAKE_OVER -> builder.whenAbandoned(Operation.Abandoned.TAKE_OVER, GRACE);
            case LEAVE -> builder.whenAbandoned(Operation.Abandoned.LEAVE, Duration.ofMinutes(1));
        }
    }

    private Outcome<String> callExternal(Idempotency<Transaction> idempotency, Attempt attempt, UserCode code) {
        ExternalOperation.Builder<Transaction, String> builder = idempotency
                .external(KEY.operation(), ResultCodec.string(), unresolved -> code.lookUpExternally())
                .retention(RETENTION)
                .maxRetries(retries);
        if (followsUp) {
            builder.then((handle, key, result) -> code.book(result));
        }
        if (waits) {
            builder.waitAtMost(WAIT);
        }
        if (releases) {
            builder.releaseWhenNoEffect(this::means);
        } else {
            builder.noEffectWhen(this::means);
        }
        return switch (way) {
            case EXECUTES ->
                planned
                        ? builder.planned()
                                .build()
                                .execute(attempt, code::freshValue, (key, plan) -> code.writeExternally(plan))
                        : builder.build().execute(attempt, key -> code.writeExternally(code.freshValue()));
            case EXECUTES_ASYNCHRONOUSLY ->
                of(builder.build()
                        .executeAsync(
                                attempt,
                                key -> CompletableFuture.completedStage(code.writeExternally(code.freshValue()))));
            case SETTLES -> builder.build().settle(KEY).orElseGet(Configuration::nothingToEnd);
            case RESOLVES -> resolve(builder.build(), code);
        };
    }

    private static Outcome<String> resolve(ExternalOperation<String> operation, UserCode code) {
        Optional<String> found;
        try {
            found = code.lookUpExternally().asOptional();
        } catch (Injected noAnswer) {
            found = Optional.empty();
        }
        return found.flatMap(result -> operation.resolveSucceeded(KEY, result)).orElseGet(Configuration::nothingToEnd);
    }

    /** The stage has completed, because everything that it waits for has. */
    private static Outcome<String> of(CompletionStage<Outcome<String>> stage) {
        try {
            return stage.toCompletableFuture().join();
        } catch (CompletionException thrown) {
            throw Rethrow.unchanged(Objects.requireNonNull(thrown.getCause()));
        }
    }

    private static Outcome<String> nothingToEnd() {
        return new Outcome.InProgress<>(KEY, Duration.ZERO, Outcome.Ending.NEEDS_OPERATOR);
    }
}
