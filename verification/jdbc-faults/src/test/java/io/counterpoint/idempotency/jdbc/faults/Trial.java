package io.counterpoint.idempotency.jdbc.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyClock;
import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.IdempotencyListener;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.Session;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * One key: the caller under test, which a fault meets; the later callers, which no fault meets; and the record and the
 * effect afterwards. The effect has the name of the key, which is the result as well. That of an external operation is
 * written by a transaction of its own.
 */
final class Trial {

    /** Longer than any fault here that ends. */
    private static final Duration SETTLE_WITHIN = Duration.ofSeconds(2);

    private static final AtomicInteger KEYS = new AtomicInteger();

    final ProtocolVariant way;
    final String key;
    private final Jdbi victim;
    private final Jdbi direct;
    private final JdbiIdempotencyStore afterwards;
    private final AtomicInteger runs = new AtomicInteger();
    private IdempotencyStore<Handle> store;
    private IdempotencyClock clock = IdempotencyClock.system();
    private ResultCodec<String> codec = ResultCodec.string();
    private Runnable onDoubt = () -> {};
    private UnaryOperator<Operation.Builder<Handle, String>> inDatabase = UnaryOperator.identity();
    private UnaryOperator<ExternalOperation.Builder<?, String>> outside = UnaryOperator.identity();

    Trial(ProtocolVariant way, Jdbi victim, Jdbi direct) {
        this(way, "key-" + KEYS.incrementAndGet(), victim, direct);
    }

    Trial(ProtocolVariant way, String key, Jdbi victim, Jdbi direct) {
        this.way = way;
        this.key = key;
        this.victim = victim;
        this.direct = direct;
        this.store = JdbiIdempotencyStore.on(victim);
        this.afterwards = JdbiIdempotencyStore.on(direct);
    }

    // ---- the caller under test -----------------------------------------------------------------------------------

    Trial over(IdempotencyStore<Handle> newStore) {
        store = newStore;
        return this;
    }

    Trial clock(IdempotencyClock newClock) {
        clock = newClock;
        return this;
    }

    Trial codec(ResultCodec<String> newCodec) {
        codec = newCodec;
        return this;
    }

    Trial inDatabase(UnaryOperator<Operation.Builder<Handle, String>> options) {
        inDatabase = options;
        return this;
    }

    Trial outside(UnaryOperator<ExternalOperation.Builder<?, String>> options) {
        outside = options;
        return this;
    }

    /** Acts when the caller is about to run again, or does not know what became of its commit. */
    Trial onDoubt(Runnable action) {
        onDoubt = action;
        return this;
    }

    /** Calls, with work that writes the effect. */
    Outcome<String> call() {
        return call(Doing::write);
    }

    <X extends Exception> Outcome<String> call(Work<X> work) throws X {
        return call(way, idempotency(store), work);
    }

    /** What the call throws. */
    <X extends Exception> Throwable thrown(Work<X> work) {
        return catchThrowable(() -> call(work));
    }

    <X extends Exception> Future<Outcome<String>> begin(Work<X> work) {
        return Bench.begin(() -> call(work));
    }

    Future<Outcome<String>> begin() {
        return begin(Doing::write);
    }

    /** Calls with a lookup that finds the effect in the domain, where there is a record to heal. */
    Outcome<String> callToHeal() {
        return callToHeal(idempotency(store), victim);
    }

    int runs() {
        return runs.get();
    }

    IdempotencyKey fullKey() {
        return IdempotencyKey.inScope("user:1").operation("operate").value(key);
    }

    private Idempotency<Handle> idempotency(IdempotencyStore<Handle> over) {
        return Idempotency.builder(over)
                .clock(clock)
                .listener(IdempotencyListener.on(IdempotencyEvent.CommitUnknown.class, event -> onDoubt.run())
                        .andThen(IdempotencyListener.on(IdempotencyEvent.Retried.class, event -> onDoubt.run())))
                .build();
    }

    private <X extends Exception> Outcome<String> call(
            ProtocolVariant as, Idempotency<Handle> idempotency, Work<X> work) throws X {
        if (as == ProtocolVariant.EXTERNAL) {
            return outside.apply(idempotency
                            .external("operate", codec, unresolved -> Lookup.of(effect()))
                            .settleWithin(SETTLE_WITHIN))
                    .build()
                    .execute(attempt(), any -> {
                        runs.incrementAndGet();
                        work.run(new Doing(null));
                        return key;
                    });
        }
        Operation.Builder<Handle, String> builder =
                inDatabase.apply(idempotency.operation("operate", codec).settleWithin(SETTLE_WITHIN));
        if (as.single()) {
            builder.protocol(Operation.Protocol.SINGLE_TRANSACTION);
        }
        return as.planned()
                ? builder.planned().build().execute(attempt(), () -> key, (handle, plan) -> run(work, handle))
                : builder.build().execute(attempt(), handle -> {
                    run(work, handle);
                    return key;
                });
    }

    private <X extends Exception> void run(Work<X> work, Handle handle) throws X {
        runs.incrementAndGet();
        work.run(new Doing(handle));
    }

    private Outcome<String> callToHeal(Idempotency<Handle> idempotency, Jdbi lookingAt) {
        if (way == ProtocolVariant.EXTERNAL) {
            return idempotency
                    .external("operate", codec, unresolved -> Lookup.of(effectSeenBy(lookingAt)))
                    .build()
                    .execute(attempt(), any -> {
                        throw new AssertionError("The work of a follower never runs");
                    });
        }
        return inDatabase
                .apply(idempotency.operation("operate", codec).settleWithin(SETTLE_WITHIN))
                .lookUpByKey((handle, any) -> effectIn(handle))
                .build()
                .execute(attempt(), handle -> {
                    throw new AssertionError("The work of a follower never runs");
                });
    }

    private Attempt attempt() {
        return Attempt.inScope("user:1").key(key).request("request");
    }

    /** Throws any object as what it is. */
    @SuppressWarnings("unchecked")
    static <X extends Throwable> RuntimeException same(Throwable thrown) throws X {
        throw (X) thrown;
    }

    /** What the work does. */
    interface Work<X extends Exception> {
        void run(Doing doing) throws X;
    }

    /** What the work works with. */
    final class Doing {
        private final Handle handle;

        private Doing(Handle handle) {
            this.handle = handle;
        }

        Handle handle() {
            return handle;
        }

        int run() {
            return runs.get();
        }

        void write() {
            if (handle == null) {
                victim.useHandle(own -> Effects.write(own, key));
            } else {
                Effects.write(handle, key);
            }
        }
    }

    // ---- later callers -------------------------------------------------------------------------------------------

    /** Another process asks, in the same way. */
    Outcome<String> retry() {
        return call(way, Idempotency.on(afterwards), Doing::write);
    }

    /** Another process asks when the grace period of a dead leader is over. */
    Outcome<String> retryAfterTheGrace() {
        UnaryOperator<Operation.Builder<Handle, String>> options = inDatabase;
        inDatabase = builder -> builder.whenAbandoned(Operation.Abandoned.FAIL, Duration.ofNanos(1));
        try {
            return retry();
        } finally {
            inDatabase = options;
        }
    }

    /** Leaves a record as a leader does that died after its claim. */
    Pending plantPending() {
        Pending pending = new Pending(
                fullKey(),
                way == ProtocolVariant.EXTERNAL ? way.protocol() : ProtocolVariant.CLAIM_FIRST.protocol(),
                UUID.randomUUID(),
                Fingerprint.ofParts("request"),
                way.planned() ? Optional.of(payload()) : Optional.empty(),
                Duration.ZERO);
        try (Session<Handle> session = afterwards.open(
                IdempotencyKey.inScope("user:1").operation("test").value("session"))) {
            assertThat(session.<Optional<IdempotencyRecord>>autoCommit(transaction ->
                            transaction.claim(pending, Duration.ofDays(1), Bench.BOUND, Durability.DURABLE)))
                    .isEmpty();
        }
        return pending;
    }

    /** Leaves what a follower heals: a record without an end, and its effect. */
    Trial plantEffectBehindPending() {
        plantPending();
        direct.useHandle(handle -> Effects.write(handle, key));
        return this;
    }

    /** What another leader of this key does to it, once it has it. */
    void anotherSucceeds() {
        direct.useHandle(handle -> handle.execute(
                "UPDATE idempotency_record SET state = 'S', token = gen_random_uuid(), payload = ? WHERE key_value = ?",
                payload().toBytes(),
                key));
    }

    private Payload payload() {
        return Payload.of(key.getBytes(StandardCharsets.UTF_8));
    }

    // ---- what became of it ---------------------------------------------------------------------------------------

    /** The record's state: P, S, F, or - where there is none. */
    String state() {
        return direct.withHandle(
                handle -> handle.createQuery("SELECT state FROM idempotency_record WHERE key_value = :key")
                        .bind("key", key)
                        .mapTo(String.class)
                        .findOne()
                        .orElse("-"));
    }

    int effects() {
        return direct.withHandle(handle -> handle.createQuery("SELECT count(*) FROM effect WHERE id = :key")
                .bind("key", key)
                .mapTo(Integer.class)
                .one());
    }

    private Optional<String> effect() {
        return effectSeenBy(direct);
    }

    private Optional<String> effectSeenBy(Jdbi jdbi) {
        return jdbi.withHandle(this::effectIn);
    }

    private Optional<String> effectIn(Handle handle) {
        return handle.createQuery("SELECT id FROM effect WHERE id = :key")
                .bind("key", key)
                .mapTo(String.class)
                .findFirst();
    }

    Trial hasRun(int times) {
        assertThat(runs).as("runs of the work").hasValue(times);
        return this;
    }

    private Trial stands(String state, int effects) {
        assertThat(List.of(state(), effects())).as("record and effects").isEqualTo(List.of(state, effects));
        return this;
    }

    /** The record says so, there is one effect, and a retry returns the same result without a further run. */
    Trial succeededOnce() {
        int before = runs();
        stands("S", 1);
        assertThat(retry()).isInstanceOf(Outcome.Replayed.class);
        assertThat(retry().orElseThrow()).isEqualTo(key);
        return hasRun(before);
    }

    /** Asserts that the call has led, after this many runs of its work. */
    void executes(int runs) {
        assertThat(call()).isInstanceOf(Outcome.Executed.class);
        hasRun(runs).succeededOnce();
    }

    /** The record says so, there is no effect, and a retry returns the same without a further run. */
    Trial failed() {
        int before = runs();
        stands("F", 0);
        assertThat(retry()).isInstanceOf(Outcome.Rejected.class);
        return hasRun(before);
    }

    /** There is neither record nor effect, and a retry leads. */
    Trial leftNothing() {
        stands("-", 0);
        assertThat(retry()).isInstanceOf(Outcome.Executed.class);
        return succeededOnce();
    }

    /** The claim is left and nothing else: in progress, until the grace period is over and the attempt proven to be, too. */
    Trial leftPendingWithoutEffect() {
        int before = runs();
        stands("P", 0);
        assertThat(retry()).isInstanceOf(Outcome.InProgress.class);
        if (way == ProtocolVariant.EXTERNAL) {
            // Nobody can prove it from here.
            assertThat(retryAfterTheGrace()).isInstanceOf(Outcome.InProgress.class);
            return hasRun(before);
        }
        assertThat(retryAfterTheGrace())
                .isInstanceOfSatisfying(
                        Outcome.Rejected.class,
                        rejected -> assertThat(rejected.failure().code()).isEqualTo(Failure.ABANDONED));
        return failed().hasRun(before);
    }

    /** The claim is left and the effect is there: a call that looks finds it and heals. */
    Trial leftPendingWithEffect() {
        int before = runs();
        stands("P", 1);
        assertThat(callToHeal(Idempotency.on(afterwards), direct)).isInstanceOf(Outcome.Healed.class);
        return succeededOnce().hasRun(before);
    }

    /**
     * An external effect is returned whatever becomes of its record, and the next call heals that. In the database the
     * same call looks again until the record says it.
     */
    Trial healed(Outcome<String> outcome) {
        assertThat(outcome.orElseThrow()).isEqualTo(key);
        if (way != ProtocolVariant.EXTERNAL) {
            return succeededOnce();
        }
        assertThat(outcome).isInstanceOf(Outcome.Healed.class);
        return leftPendingWithEffect();
    }

    /** The call reported an unknown outcome, and not an exception that looks like a failure of its work. */
    static OutcomeUnknownException unknown(Throwable thrown) {
        assertThat(thrown).isInstanceOf(OutcomeUnknownException.class);
        return (OutcomeUnknownException) thrown;
    }
}
