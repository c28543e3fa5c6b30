package io.counterpoint.idempotency.testkit;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Failed;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.WorkScope;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** The base of the parts of the contract: the store under test, shorthands for its steps, and sample records. */
@Timeout(60)
abstract class ContractTest<C> {

    static final Duration DAY = Duration.ofDays(1);
    static final Duration LONG = Duration.ofSeconds(20);
    static final Duration SHORT = Duration.ofMillis(30);

    /** How often in a row a single step may fail with a serialization failure. */
    private static final int CONFLICTS = 5;

    private final Fixture<C> fixture;

    IdempotencyStore<C> store;
    Domain<C> domain;

    ContractTest(Fixture<C> fixture) {
        this.fixture = fixture;
    }

    @BeforeEach
    void take() {
        store = fixture.store().get();
        domain = fixture.domain().get();
    }

    // ---- sessions ------------------------------------------------------------------------------------------------

    final <T> T autoCommit(Function<? super RecordSteps, ? extends T> step) {
        return unlessItConflicts(() -> {
            try (Session<C> session = store.open(key("session"))) {
                return session.autoCommit(step);
            }
        });
    }

    /** Under strict isolation, a step that encounters a change made while it waited may fail. Retrying it succeeds. */
    final <T> T unlessItConflicts(Supplier<T> step) {
        for (int conflicts = 0; ; conflicts++) {
            try {
                return step.get();
            } catch (RuntimeException thrown) {
                if (conflicts == CONFLICTS || store.classify(thrown) != Fault.CONFLICT) {
                    throw thrown;
                }
            }
        }
    }

    final <T> T inTransaction(Function<? super RecordSteps, ? extends T> body) {
        return inTransaction((steps, unused) -> body.apply(steps));
    }

    final <T> T inTransaction(BiFunction<? super RecordSteps, ? super WorkScope<C>, ? extends T> body) {
        try (Session<C> session = store.open(key("session"))) {
            return session.inTransaction(body);
        }
    }

    /**
     * Runs a transaction concurrently with others. If they commit first, its own commit may fail under strict
     * isolation.
     */
    final void besideOthers(Consumer<? super RecordSteps> body) {
        try {
            boolean unused = inTransaction(steps -> {
                body.accept(steps);
                return true;
            });
        } catch (RuntimeException thrown) {
            if (store.classify(thrown) != Fault.CONFLICT) {
                throw thrown;
            }
        }
    }

    /** Runs one compare-and-set in its own transaction. */
    final boolean changes(Function<RecordSteps, Boolean> compareAndSet) {
        return this.<Boolean>autoCommit(compareAndSet);
    }

    /** Takes a lock and releases it immediately. */
    final Optional<IdempotencyRecord> locked(IdempotencyKey key, Duration lockWait) {
        return unlessItConflicts(() -> inTransaction(transaction -> transaction.lock(key, lockWait)));
    }

    final boolean isThere(String effect) {
        return this.<Boolean>inTransaction((transaction, scope) -> domain.isThere(scope.handle(), effect));
    }

    final Optional<IdempotencyRecord> read(IdempotencyKey key) {
        return autoCommit(transaction -> transaction.read(key));
    }

    final IdempotencyRecord found(IdempotencyKey key) {
        return read(key).orElseThrow(() -> new AssertionError("There is no record of " + key));
    }

    final Optional<IdempotencyRecord> claim(IdempotencyRecord record) {
        return claim(record, DAY);
    }

    final Optional<IdempotencyRecord> claim(IdempotencyRecord record, Duration retention) {
        return autoCommit(transaction -> transaction.claim(record, retention, LONG, Durability.DURABLE));
    }

    static Optional<IdempotencyRecord> claim(RecordSteps transaction, IdempotencyRecord record) {
        return transaction.claim(record, DAY, LONG, Durability.DURABLE);
    }

    /** Inserts a record for the next call to find. */
    final <T extends IdempotencyRecord> T plant(T record) {
        if (claim(record).isPresent()) {
            throw new AssertionError("There is a record of " + record.key() + " already");
        }
        return record;
    }

    /** Returns the store's classification of an exception; null if there is none. */
    final @Nullable Fault faultOf(@Nullable Throwable thrown) {
        return thrown == null ? null : store.classify(thrown);
    }

    /** Waits until the store's own clock has advanced. */
    final void letTimePass(Duration time) {
        Pending watch = plant(pending("watch-" + UUID.randomUUID()));
        long deadline = System.nanoTime() + time.plusSeconds(30).toNanos();
        while (age(found(watch.key())).compareTo(time) <= 0) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("The store's time stands still");
            }
            Thread.onSpinWait();
        }
    }

    // ---- records -------------------------------------------------------------------------------------------------

    static IdempotencyKey key(String value) {
        return IdempotencyKey.inScope("user:1").operation("contract").value(value);
    }

    static Pending pending(String value) {
        return pending(value, Optional.empty());
    }

    static Pending pending(String value, Optional<Payload> plan) {
        return pending(key(value), Protocol.CLAIM_FIRST, plan);
    }

    static Pending pending(IdempotencyKey key, Protocol protocol, Optional<Payload> plan) {
        return new Pending(key, protocol, UUID.randomUUID(), Fingerprint.ofParts("request"), plan, Duration.ZERO);
    }

    static Succeeded succeeded(String value) {
        return new Succeeded(
                key(value),
                Protocol.CLAIM_FIRST,
                UUID.randomUUID(),
                Fingerprint.ofParts("request"),
                Optional.of(bytes("done")));
    }

    static Failed failed(String value) {
        return new Failed(
                key(value),
                Protocol.SINGLE_TRANSACTION,
                UUID.randomUUID(),
                Fingerprint.ofParts("request"),
                new Failure("declined", "The card was declined."));
    }

    static Payload bytes(String text) {
        return Payload.of(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the record without its age, so that it can be compared. */
    static IdempotencyRecord ageless(IdempotencyRecord record) {
        return record.fold(
                pending -> new Pending(
                        pending.key(),
                        pending.protocol(),
                        pending.token(),
                        pending.fingerprint(),
                        pending.plan(),
                        Duration.ZERO),
                succeeded -> succeeded,
                failed -> failed);
    }

    static Duration age(IdempotencyRecord record) {
        return record.fold(
                Pending::age,
                succeeded -> {
                    throw new AssertionError("Only pending records have an age");
                },
                failed -> {
                    throw new AssertionError("Only pending records have an age");
                });
    }
}
