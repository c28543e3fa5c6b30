package io.counterpoint.idempotency.testkit.faults;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.ForwardingStore;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.Session;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A store that forwards every call to another one and fails as armed by a test.
 *
 * <pre>{@code
 * FaultyStore<Handle> faulty = FaultyStore.around(store);
 * faulty.at(StoreCall.CLAIM).losesAnswer();                    // the next claim is done, and its answer is lost
 * faulty.second(StoreCall.COMMIT).fails(Fault.CONFLICT);       // the next commit passes, the one after it is refused
 * faulty.at(StoreCall.LOCK).before(() -> anotherCallerActs()); // something happens between two calls
 * faulty.atCall(3).fails(Fault.CONNECTION_LOST);               // the third call of any kind
 * }</pre>
 *
 * <p>It throws {@link InjectedFault}s, which {@link #classify} recognizes; any other exception is classified by the
 * other store. As in a database, a transaction in which a step has failed is lost: every later step and the commit fail
 * in the same way. A hook runs on the caller's thread, usually while its session is open; because a store may reject
 * another session on that thread, a hook that uses the store must do so on its own thread. A store may combine steps,
 * such as a claim and its lock, or a mark and its commit; this store runs them one by one, so that each can be armed.
 *
 * @param <C> the handle of the store
 */
public final class FaultyStore<C> extends ForwardingStore<C> {

    private final ArmedCalls calls = new ArmedCalls();
    private int openSessions;
    private int mostSessions;

    private FaultyStore(IdempotencyStore<C> store) {
        super(store);
    }

    /**
     * Creates a store that forwards everything until it is armed.
     *
     * @param <C> the handle of the store
     * @param store the store that does the work
     * @return the faulty store
     */
    public static <C> FaultyStore<C> around(IdempotencyStore<C> store) {
        return new FaultyStore<>(store);
    }

    /**
     * Arms the next call of a kind that is not armed yet.
     *
     * @param kind the kind
     * @return the call, which passes unless armed to fail
     */
    public ArmedCall at(StoreCall kind) {
        return calls.at(kind);
    }

    /**
     * Lets one call of a kind pass and arms the next one.
     *
     * @param kind the kind
     * @return the second call, which passes unless armed to fail
     */
    public ArmedCall second(StoreCall kind) {
        ArmedCall unused = at(kind);
        return at(kind);
    }

    /**
     * Lets two calls of a kind pass and arms the next one.
     *
     * @param kind the kind
     * @return the third call, which passes unless armed to fail
     */
    public ArmedCall third(StoreCall kind) {
        ArmedCall unused = at(kind);
        return second(kind);
    }

    /**
     * Arms the n-th call of any kind from now.
     *
     * @param n 1 for the next
     * @return the call, which passes unless armed to fail
     */
    public ArmedCall atCall(int n) {
        return calls.atCall(n);
    }

    /** Discards armed faults that have not occurred. */
    public void disarm() {
        calls.disarm();
    }

    /**
     * Returns whether a call is armed but was never made, in which case a test has not exercised what it is about.
     *
     * @return true if {@link #disarm} would discard a fault; calls that are {@linkplain ArmedCall#always always} armed
     *     do not count
     */
    public boolean isArmed() {
        return calls.areLeft();
    }

    /**
     * Returns the calls so far, regardless of their outcome. In a transaction with a body, the commit is a separate
     * call; a step that runs alone includes its commit.
     *
     * @return the kinds, in order
     */
    public List<StoreCall> calls() {
        return calls.made();
    }

    /**
     * Returns the number of currently open sessions.
     *
     * @return the number
     */
    public synchronized int openSessions() {
        return openSessions;
    }

    /**
     * Returns the maximum number of simultaneously open sessions so far.
     *
     * @return the number
     */
    public synchronized int mostSessions() {
        return mostSessions;
    }

    @Override
    public Session<C> open(IdempotencyKey key) {
        return open(() -> store.open(key));
    }

    @Override
    public Session<C> openForClaim(IdempotencyKey key, Duration maxWait) {
        return open(() -> store.openForClaim(key, maxWait));
    }

    private Session<C> open(Supplier<Session<C>> opener) {
        ArmedCall call = calls.next(StoreCall.OPEN);
        call.begins();
        Session<C> opened = opener.get();
        count(1);
        Session<C> session = new FaultySession<>(opened, calls, () -> count(-1));
        try {
            call.ends();
        } catch (RuntimeException | Error thrown) {
            session.close();
            throw thrown;
        }
        return session;
    }

    @Override
    public Fault classify(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof InjectedFault injected) {
                return injected.fault();
            }
        }
        return store.classify(thrown);
    }

    @Override
    public Optional<IdempotencyRecord> read(IdempotencyKey key) {
        try (Session<C> session = open(key)) {
            return session.autoCommit(steps -> steps.read(key));
        }
    }

    private synchronized void count(int sessions) {
        openSessions += sessions;
        mostSessions = Math.max(mostSessions, openSessions);
    }
}
