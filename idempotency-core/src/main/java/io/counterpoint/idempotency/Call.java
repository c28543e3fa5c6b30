package io.counterpoint.idempotency;

import io.counterpoint.idempotency.IdempotencyException.OutcomeUnknownException;
import io.counterpoint.idempotency.IdempotencyException.UndecodableException;
import io.counterpoint.idempotency.IdempotencyException.UnstorableResultException;
import io.counterpoint.idempotency.spi.Claim;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.IdempotencyStore.Fault;
import io.counterpoint.idempotency.spi.IdempotencyStore.Session;
import io.counterpoint.idempotency.spi.StoreTransaction;
import io.counterpoint.idempotency.spi.StoreTransaction.Durability;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What one call carries, and how it touches the world: the user's code, the codec, sessions, time and the listener. It
 * decides nothing; {@link Engine} does.
 */
abstract class Call<C, R> {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(10);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_POLL = Duration.ofMillis(250);
    private static final Duration SHORTEST_WAIT = Duration.ofMillis(1);

    /** The bound of every wait for another transaction's lock that the caller did not choose. */
    static final Duration LOCK_WAIT = Duration.ofSeconds(1);

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final ThreadLocal<@Nullable IdempotencyKey> RUNNING = new ThreadLocal<>();

    final Settings<C, R> settings;
    final IdempotencyStore<C> store;
    final IdempotencyKey key;
    final Fingerprint fingerprint;
    final Optional<R> plan;
    final Optional<Payload> encodedPlan;

    private final Settings.Work<C, R> work;
    /** Of a call that waits. */
    private final Instant start;

    /** The tokens this call has written or tried to write: a record with one of them is this call's own. */
    private @Nullable UUID latestToken;

    private List<UUID> earlierTokens = List.of();

    /** Why it was not known whether a compare-and-set arrived that then turned out not to be this call's to settle. */
    @Nullable
    Throwable lostAnswer;

    private int polls;
    private boolean interrupted;
    private boolean hasRun;

    Call(
            Settings<C, R> settings,
            IdempotencyKey key,
            Fingerprint fingerprint,
            Optional<R> plan,
            Settings.Work<C, R> work) {
        this.settings = settings;
        this.store = settings.store;
        this.key = key;
        this.fingerprint = fingerprint;
        this.plan = plan;
        this.encodedPlan = plan.isPresent() ? Optional.of(encode(plan.get())) : Optional.empty();
        this.work = work;
        this.start = settings.wait.isZero() ? Instant.MIN : settings.clock.now();
    }

    static void requireNotInside(Object what) {
        IdempotencyKey outer = RUNNING.get();
        if (outer != null) {
            throw new IllegalStateException(
                    what + ": called inside the call of " + outer + ", whose roll-back would not"
                            + " undo it. Call one after the other, or do both in one operation.");
        }
    }

    /** Refuses to nest: the outer roll-back would not undo the inner call, and both would want a connection. */
    static <T> T notNested(IdempotencyKey key, Supplier<T> call) {
        requireNotInside(key);
        RUNNING.set(key);
        try {
            return call.get();
        } finally {
            RUNNING.set(null);
        }
    }

    /**
     * Keeps an interrupt away from the store: a virtual thread would lose its connection in the middle of a step, and
     * some pools give none. The flag is put back for the user's work, and at the end.
     */
    final <T> T uninterrupted(Supplier<T> call) {
        interrupted = Thread.interrupted();
        try {
            return call.get();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    // ---- the user's code -----------------------------------------------------------------------------------------

    static <R> R planned(IdempotencyKey key, Supplier<? extends R> planner) {
        R plan = planner.get();
        if (plan == null) {
            throw new UnstorableResultException(
                    key, "the plan is null; plan Done.DONE where there is nothing to tell.", null);
        }
        return plan;
    }

    /**
     * Runs the work, and carries what is checked through the store. The first run has the caller's interrupt flag. One
     * that repeats it has not: on a virtual thread an interrupt closes the connection under the work's own statements,
     * so each run would be lost as the first one was.
     */
    final R perform(Supplier<C> handle, Optional<R> planned) {
        boolean withheld = interrupted && hasRun;
        if (interrupted && !hasRun) {
            Thread.currentThread().interrupt();
        }
        hasRun = true;
        boolean byInterrupt = false;
        try {
            R result = work.run(handle, key, planned);
            if (result == null) {
                throw new UnstorableResultException(
                        key, "the work returned null; return Done.DONE where there is nothing to tell.", null);
            }
            return result;
        } catch (RuntimeException | Error thrown) {
            throw thrown;
        } catch (Exception thrown) {
            byInterrupt = thrown instanceof InterruptedException;
            throw new Carried(thrown);
        } finally {
            interrupted = Thread.interrupted() || byInterrupt || withheld;
        }
    }

    final Optional<R> lookUp(Optional<R> planned) {
        Settings.LookUp<C, R> lookUp = settings.lookUp;
        if (lookUp == null) {
            return Optional.empty();
        }
        try {
            if (settings.protocol == Protocol.EXTERNAL) {
                return lookUp.find(elsewhere(), key, planned);
            }
            try (Session<C> session = store.open()) {
                return session.inTransaction(transaction -> carrying(lookUp, transaction::handle, planned));
            }
        } catch (Exception | Error caught) {
            Throwable thrown = Carried.in(caught);
            interrupted |= thrown instanceof InterruptedException;
            throw new OutcomeUnknownException(key, "the look-up failed", thrown);
        }
    }

    private Optional<R> carrying(Settings.LookUp<C, R> lookUp, Supplier<C> handle, Optional<R> planned) {
        try {
            return lookUp.find(handle, key, planned);
        } catch (RuntimeException thrown) {
            throw thrown;
        } catch (Exception thrown) {
            throw new Carried(thrown);
        }
    }

    /** The handle of an effect elsewhere: there is none, and nothing asks for it. */
    final Supplier<C> elsewhere() {
        return () -> {
            throw new IllegalStateException(key + ": an external operation has no handle.");
        };
    }

    /** What the user's predicate says of a thrown object; one that throws itself declares nothing. */
    static boolean declared(Predicate<? super Throwable> predicate, Throwable thrown) {
        try {
            return predicate.test(thrown);
        } catch (RuntimeException | Error undecided) {
            suppress(thrown, undecided);
            return false;
        }
    }

    final Failure describe(Throwable thrown) {
        try {
            return settings.describe == null
                    ? store.describe(thrown).orElseGet(() -> Failure.of(thrown))
                    : Objects.requireNonNull(settings.describe.apply(thrown), "The description of a failure is null.");
        } catch (RuntimeException | Error indescribable) {
            suppress(thrown, indescribable);
            return Failure.of(thrown);
        }
    }

    final void tell(Consumer<IdempotencyListener> event) {
        try {
            event.accept(settings.listener);
        } catch (RuntimeException | Error ignored) {
            // A listener cannot change an outcome.
        }
    }

    // ---- payloads ------------------------------------------------------------------------------------------------

    final Payload encode(R result) {
        byte[] bytes;
        try {
            bytes = settings.codec.encode(result);
        } catch (Exception | Error thrown) {
            throw new UnstorableResultException(key, "the codec could not encode the result.", thrown);
        }
        if (bytes == null) {
            throw new UnstorableResultException(key, "the codec encoded the result as null.", null);
        }
        if (bytes.length > settings.maxResultBytes) {
            throw new UnstorableResultException(
                    key,
                    "the result has " + bytes.length + " bytes, at most " + settings.maxResultBytes
                            + " are allowed; return less, or set maxResultBytes.",
                    null);
        }
        return Payload.of(bytes);
    }

    final Optional<Payload> encodeIfPossible(R result) {
        try {
            return Optional.of(encode(result));
        } catch (UnstorableResultException thrown) {
            return Optional.empty();
        }
    }

    final Optional<R> decodePlan(Pending pending) {
        return pending.plan().map(payload -> decode(payload, "the stored plan cannot be decoded."));
    }

    /** The stored result, or the domain's, of an effect that is committed. */
    final R resultOf(Succeeded succeeded) {
        try {
            return decode(
                    succeeded
                            .result()
                            .orElseThrow(() -> new UndecodableException(
                                    key, "the effect is committed, but its result could not be stored.", null)),
                    "the effect is committed, but its stored result cannot be decoded.");
        } catch (UndecodableException unreadable) {
            return lookUp(Optional.empty()).orElseThrow(() -> unreadable);
        }
    }

    private R decode(Payload payload, String what) {
        try {
            return Objects.requireNonNull(settings.codec.decode(payload.toBytes()), "The codec decoded null.");
        } catch (Exception | Error thrown) {
            throw new UndecodableException(key, what, thrown);
        }
    }

    // ---- records --------------------------------------------------------------------------------------------------

    final UUID freshToken() {
        byte[] bits = new byte[16];
        RANDOM.nextBytes(bits);
        UUID token = new UUID((long) LONGS.get(bits, 0), (long) LONGS.get(bits, Long.BYTES));
        if (latestToken != null) {
            earlierTokens = new ArrayList<>(earlierTokens);
            earlierTokens.add(latestToken);
        }
        latestToken = token;
        return token;
    }

    final boolean isOwn(IdempotencyRecord record) {
        return record.token().equals(latestToken) || earlierTokens.contains(record.token());
    }

    /** All that this call has written or tried to write. */
    final List<UUID> ownTokens() {
        if (latestToken == null) {
            return List.of();
        }
        List<UUID> tokens = new ArrayList<>(earlierTokens);
        tokens.add(latestToken);
        return tokens;
    }

    static boolean isTerminal(IdempotencyRecord record) {
        return record.fold(pending -> false, succeeded -> true, failed -> true);
    }

    static boolean isPending(IdempotencyRecord record, UUID token) {
        return record.token().equals(token) && record.fold(pending -> true, succeeded -> false, failed -> false);
    }

    static boolean isSucceeded(IdempotencyRecord record, UUID token) {
        return record.token().equals(token) && record.fold(pending -> false, succeeded -> true, failed -> false);
    }

    static boolean isFailed(IdempotencyRecord record, UUID token) {
        return record.token().equals(token) && record.fold(pending -> false, succeeded -> false, failed -> true);
    }

    /**
     * The keys that were met lately, as a guess: which of two correct ways is the cheaper one. Races and collisions make
     * it wrong now and then, which costs a round trip and nothing else.
     */
    static final class MetKeys {
        private static final int SETS = 1 << 14;

        /**
         * Four tags in each, the latest lowest: the upper half of a key's hash, in the set that the lower half names. One
         * tag each would let two keys that are asked for by turns push each other out.
         */
        private final long[] sets = new long[SETS];

        boolean contains(IdempotencyKey key) {
            int hash = hash(key);
            return contains(sets[hash & (SETS - 1)], tag(hash));
        }

        void add(IdempotencyKey key) {
            int hash = hash(key);
            int set = hash & (SETS - 1);
            long tags = sets[set];
            if (!contains(tags, tag(hash))) {
                sets[set] = (tags << 16) | tag(hash);
            }
        }

        private static boolean contains(long tags, int tag) {
            return (tags & 0xFFFF) == tag
                    || ((tags >>> 16) & 0xFFFF) == tag
                    || ((tags >>> 32) & 0xFFFF) == tag
                    || (tags >>> 48) == tag;
        }

        private static int hash(IdempotencyKey key) {
            int hash = key.hashCode() * 0x9E3779B9;
            return hash ^ (hash >>> 15);
        }

        /** Zero is where there is none. */
        private static int tag(int hash) {
            return Math.max(1, hash >>> 16);
        }
    }

    // ---- sessions ------------------------------------------------------------------------------------------------

    /** One step in a session and a transaction of its own. */
    final <T> T alone(Function<? super StoreTransaction<C>, ? extends T> step) {
        try (Session<C> session = store.open()) {
            return session.alone(step);
        }
    }

    final Optional<IdempotencyRecord> read() {
        return store.read(key);
    }

    /** Tells followers that the leader is alive and will run again. To miss it is no harm: it only spares the leader. */
    final void signOfLife(UUID token) {
        try {
            alone(transaction -> transaction.replaceToken(key, token, token));
        } catch (RuntimeException thrown) {
            // The next run's lock shows whether the record is still this leader's.
        }
    }

    /** Several steps in a session and a transaction of their own. */
    final <T> T inTransaction(Function<? super StoreTransaction<C>, ? extends T> body) {
        try (Session<C> session = store.open()) {
            return session.inTransaction(body);
        }
    }

    /**
     * One compare-and-set in a transaction of its own, tried again while its answer is lost. A later try that changes
     * nothing may owe that to an earlier one. Then it is confirmed by a write: a read would show what a standby that is
     * promoted may lack.
     *
     * @return whether it is durable
     */
    final boolean settle(Function<StoreTransaction<C>, Boolean> compareAndSet, Confirmation<C> confirmation) {
        boolean mayBeDone = false;
        Patience patience = new Patience(settings.settle);
        for (; ; ) {
            try {
                if (!mayBeDone) {
                    return alone(compareAndSet);
                }
                boolean settled = inTransaction(transaction -> {
                    // Bounds the wait for what is under way. Only then is it seen what has arrived.
                    Optional<IdempotencyRecord> unused = transaction.lock(key, LOCK_WAIT);
                    return compareAndSet.apply(transaction)
                            || confirmation.confirms(transaction, transaction.lock(key, LOCK_WAIT));
                });
                if (settled) {
                    lostAnswer = null;
                }
                return settled;
            } catch (RuntimeException | Error thrown) {
                Fault fault = store.classify(thrown);
                if (!fault.provesRollback()) {
                    mayBeDone = true;
                    lostAnswer = thrown;
                }
                if (!fault.passing() || !patience.lastsAfterPause()) {
                    throw thrown;
                }
            }
        }
    }

    /** Confirms a change whose answer was lost, if the record shows that it arrived. */
    interface Confirmation<C> {
        /** Writes, under the record's lock; false if the change did not arrive. */
        boolean confirms(StoreTransaction<C> transaction, Optional<IdempotencyRecord> locked);
    }

    /** Confirms the change to a record that is there. */
    static <C> Confirmation<C> confirming(Predicate<IdempotencyRecord> isDone) {
        return (transaction, locked) -> {
            Optional<IdempotencyRecord> done = locked.filter(isDone);
            return done.isPresent()
                    && transaction.confirm(done.get().key(), done.get().token());
        };
    }

    /** Confirms that a record is gone, by a record that is inserted and removed again. */
    final boolean isAbsent(StoreTransaction<C> transaction) {
        UUID token = freshToken();
        Pending probe = new Pending(key, settings.protocol, token, fingerprint, Optional.empty(), Duration.ZERO);
        return transaction.claim(probe, settings.retention, LOCK_WAIT, Durability.DURABLE) instanceof Claim.Leads
                && transaction.release(key, token);
    }

    // ---- time ----------------------------------------------------------------------------------------------------

    /** Sleeps a little within what is left of the caller's wait. False, at once, if nothing is left. */
    final boolean waitedALittle() {
        Duration left = waitLeft();
        if (left.isZero() || left.isNegative() || interrupted) {
            return false;
        }
        sleep(shorter(left, shorter(LONGEST_POLL, backOff(++polls))));
        return true;
    }

    final Duration lockWaitLeft() {
        Duration left = waitLeft();
        return left.compareTo(SHORTEST_WAIT) < 0 ? SHORTEST_WAIT : left;
    }

    /** How long those who wait anyway may stand in line for a claim, before they look what the record says. */
    final Duration turnWaitLeft() {
        return shorter(LONGEST_POLL, waitLeft());
    }

    private Duration waitLeft() {
        return settings.wait.isZero()
                ? Duration.ZERO
                : settings.wait.minus(Duration.between(start, settings.clock.now()));
    }

    final void pause(int tries) {
        sleep(backOff(tries));
    }

    /** Doubling, with the upper half random, so that those who collided do not meet again. */
    private static Duration backOff(int tries) {
        Duration full = shorter(LONGEST_PAUSE, FIRST_PAUSE.multipliedBy(1L << Math.min(tries - 1, 20)));
        return full.minusNanos(ThreadLocalRandom.current().nextLong(full.toNanos() / 2));
    }

    /** How long a step is tried again that is not answered: so often, and no longer than that in all. */
    final class Patience {
        private static final int TRIES = 6;
        private static final Duration LONGEST = Duration.ofSeconds(5);

        private final Duration longest;
        private final long most;
        private Optional<Instant> since = Optional.empty();
        private int tries;

        /** While nothing is in doubt. */
        Patience() {
            longest = LONGEST;
            most = TRIES;
        }

        /** To settle what is in doubt. Pauses double up to their longest, so that so many fit in. */
        Patience(Duration settle) {
            longest = settle;
            most = TRIES + settle.dividedBy(LONGEST_PAUSE.dividedBy(2));
        }

        /** Counts the time anew, from the next step that is not answered: long work is nobody's impatience. */
        void startsAnew() {
            since = Optional.empty();
        }

        /** Whether another try is due, at once. */
        boolean lasts() {
            Instant now = settings.clock.now();
            since = since.or(() -> Optional.of(now));
            return ++tries < most && Duration.between(since.orElseThrow(), now).compareTo(longest) < 0;
        }

        /** Whether another try is due, after a pause that has then passed. */
        boolean lastsAfterPause() {
            boolean lasts = lasts();
            if (lasts) {
                pause(tries);
            }
            return lasts;
        }
    }

    private void sleep(Duration pause) {
        try {
            settings.clock.sleep(pause);
        } catch (InterruptedException e) {
            interrupted = true;
        }
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) <= 0 ? one : other;
    }

    // ---- thrown objects ------------------------------------------------------------------------------------------

    static void suppress(Throwable thrown, Throwable also) {
        if (thrown != also) {
            thrown.addSuppressed(also);
        }
    }

    /** Throws any object as what it is; the caller's signature has promised its type. */
    @SuppressWarnings("unchecked")
    static <X extends Throwable> RuntimeException same(Throwable thrown) throws X {
        throw (X) thrown;
    }

    /** A checked exception of the user's on its way through a store, which knows none. */
    static final class Carried extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private Carried(Exception thrown) {
            super(null, thrown, true, false);
        }

        static Throwable in(Throwable caught) {
            Throwable carried = caught instanceof Carried ? caught.getCause() : null;
            if (carried == null) {
                return caught;
            }
            for (Throwable suppressed : caught.getSuppressed()) {
                suppress(carried, suppressed);
            }
            return carried;
        }
    }
}
