package io.counterpoint.idempotency.testkit;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.ForwardingStore;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.WorkScope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A store that passes every call to another one, and fails where a test has armed it to.
 *
 * <pre>{@code
 * FaultyStore<Handle> faulty = FaultyStore.around(store);
 * faulty.at(Step.CLAIM).losesAnswer();                    // the next claim is done, and nobody hears of it
 * faulty.at(Step.COMMIT);                                 // the next commit passes,
 * faulty.at(Step.COMMIT).fails(Fault.CONFLICT);           // the one after it is refused
 * faulty.at(Step.LOCK).before(() -> anotherCallerActs()); // what happens between two calls is part of the script
 * faulty.atCall(3).fails(Fault.CONNECTION_LOST);                     // the third call of any kind
 * }</pre>
 *
 * <p>What it throws is an {@link Injected}, which {@link #classify} knows; anything else it leaves to the other store. A
 * transaction in which a step has failed is lost, as it would be in a database: every later step fails in the same way,
 * and so does the commit. A hook runs on the caller's thread, mostly while its session is open; a store may refuse
 * another one on that thread, so a hook that uses the store does it on a thread of its own. What a store does in one go,
 * such as a claim and the lock that follows it, or a mark and its commit, is done here step by step, so that each can be
 * armed.
 *
 * @param <C> the handle of the store
 */
public final class FaultyStore<C> extends ForwardingStore<C> {

    private final List<Point> armed = new ArrayList<>();
    private final List<Step> calls = new ArrayList<>();
    private int openSessions;
    private int mostSessions;

    private FaultyStore(IdempotencyStore<C> store) {
        super(store);
    }

    /**
     * A store that passes everything on, until it is armed.
     *
     * @param <C> the handle of the store
     * @param store the store that does the work
     * @return the faulty one
     */
    public static <C> FaultyStore<C> around(IdempotencyStore<C> store) {
        return new FaultyStore<>(store);
    }

    /**
     * Arms the next call of a kind that is not armed yet.
     *
     * @param step the kind
     * @return the call, which passes unless told to fail
     */
    public synchronized Point at(Step step) {
        return arm(new Point((called, number) -> called == step));
    }

    /**
     * Arms the n-th call of any kind from now.
     *
     * @param n 1 for the next
     * @return the call, which passes unless told to fail
     */
    public synchronized Point atCall(int n) {
        int due = calls.size() + n;
        return arm(new Point((called, number) -> number == due));
    }

    /** Forgets what is armed and has not happened. */
    public synchronized void disarm() {
        armed.clear();
    }

    /**
     * The calls so far, whatever became of them. A commit is a call of its own in a transaction with a body; a step that
     * runs alone commits with itself.
     *
     * @return the kinds, in their order
     */
    public synchronized List<Step> calls() {
        return List.copyOf(calls);
    }

    /**
     * The sessions that are open now.
     *
     * @return how many
     */
    public synchronized int openSessions() {
        return openSessions;
    }

    /**
     * The sessions that were open at once.
     *
     * @return the greatest number so far
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
        Point point = next(Step.OPEN);
        point.begins();
        Session<C> session = new FaultySession(opener.get());
        try {
            point.ends();
        } catch (RuntimeException | Error thrown) {
            session.close();
            throw thrown;
        }
        return session;
    }

    @Override
    public Fault classify(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof Injected injected) {
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

    private Point arm(Point point) {
        armed.add(point);
        return point;
    }

    private synchronized Point next(Step step) {
        calls.add(step);
        int number = calls.size();
        Point due = armed.stream()
                .filter(point -> point.when.matches(step, number))
                .findFirst()
                .orElseGet(() -> new Point((called, any) -> true));
        if (!due.always) {
            armed.remove(due);
        }
        return due;
    }

    /** The kinds of calls that the engine makes. */
    public enum Step {
        /** A session is opened. */
        OPEN,
        /** {@link RecordSteps#claim}. */
        CLAIM,
        /** {@link RecordSteps#read}. */
        READ,
        /** {@link RecordSteps#lock}. */
        LOCK,
        /** {@link RecordSteps#succeed}. */
        SUCCEED,
        /** {@link RecordSteps#fail}. */
        FAIL,
        /** {@link RecordSteps#release}. */
        RELEASE,
        /** {@link RecordSteps#replaceToken}. */
        REPLACE_TOKEN,
        /** {@link RecordSteps#confirm}. */
        CONFIRM,
        /** The end of a transaction with a body, when the body has returned. */
        COMMIT
    }

    private interface When {
        boolean matches(Step step, int number);
    }

    /** One call that a test has armed. Without more it passes. */
    public static final class Point {
        private final When when;
        private Runnable before = () -> {};
        private Runnable after = () -> {};
        private @Nullable Fault fault;
        private boolean answerLost;
        private boolean changesNothing;
        private boolean always;

        private Point(When when) {
            this.when = when;
        }

        /**
         * Fails instead of doing anything. In a transaction everything before is rolled back.
         *
         * @param fault what {@link IdempotencyStore#classify} will say of it
         * @return this
         */
        public Point fails(Fault fault) {
            this.fault = fault;
            return this;
        }

        /**
         * Does it, and then fails as {@link io.counterpoint.idempotency.spi.Fault#CONNECTION_LOST}. What was alone,
         * or a commit, is then committed; a step in a transaction is rolled back with everything else.
         *
         * @return this
         */
        public Point losesAnswer() {
            answerLost = true;
            return this;
        }

        /**
         * Does nothing and answers false, as a compare-and-set that met another's record.
         *
         * @return this
         */
        public Point changesNothing() {
            changesNothing = true;
            return this;
        }

        /**
         * Runs something before the call.
         *
         * @param hook what
         * @return this
         */
        public Point before(Runnable hook) {
            before = hook;
            return this;
        }

        /**
         * Runs something when the call is done, before its answer is known or lost.
         *
         * @param hook what
         * @return this
         */
        public Point after(Runnable hook) {
            after = hook;
            return this;
        }

        /**
         * Makes this the way of every such call from now on, until {@link FaultyStore#disarm}.
         *
         * @return this
         */
        public Point always() {
            always = true;
            return this;
        }

        private void begins() {
            before.run();
            if (fault != null) {
                throw new Injected(fault);
            }
        }

        private void ends() {
            after.run();
            if (answerLost) {
                throw new Injected(Fault.CONNECTION_LOST);
            }
        }
    }

    /** A fault on demand. */
    public static final class Injected extends RuntimeException {
        private static final long serialVersionUID = 1L;

        /** What {@link FaultyStore#classify} says of this. */
        private final Fault fault;

        /**
         * A fault that domain code can throw as well.
         *
         * @param fault what {@link FaultyStore#classify} will say of it
         */
        public Injected(Fault fault) {
            super("injected: " + fault);
            this.fault = fault;
        }

        /**
         * The fault.
         *
         * @return what {@link FaultyStore#classify} says of this
         */
        public Fault fault() {
            return fault;
        }
    }

    private final class FaultySession extends ForwardingSession<C> {
        private boolean closed;

        FaultySession(Session<C> session) {
            super(session);
            count(1);
        }

        @Override
        public Optional<IdempotencyRecord> claimAndLock(
                Pending pending, Duration retention, Duration lockWait, Durability durability) {
            return autoCommit(steps -> steps.claim(pending, retention, lockWait, durability));
        }

        @Override
        public <T> T autoCommit(Function<? super RecordSteps, ? extends T> step) {
            List<Point> done = new ArrayList<>(1);
            T answer = session.autoCommit(transaction -> step.apply(new Steps(transaction, done)));
            done.forEach(Point::ends);
            return answer;
        }

        @Override
        public <T> T inTransaction(BiFunction<? super RecordSteps, ? super WorkScope<C>, ? extends T> body) {
            List<Point> commit = new ArrayList<>(1);
            T answer = session.inTransaction((transaction, scope) -> {
                Steps steps = new Steps(transaction, null);
                T made = body.apply(steps, scope);
                steps.refuseIfLost();
                Point point = next(Step.COMMIT);
                point.begins();
                commit.add(point);
                return made;
            });
            commit.forEach(Point::ends);
            return answer;
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                count(-1);
            }
            session.close();
        }
    }

    private final class Steps implements RecordSteps {
        private final RecordSteps transaction;

        /** Where a step leaves its point, if it runs alone: its answer comes after the commit. */
        private final @Nullable List<Point> alone;

        private @Nullable RuntimeException lost;

        Steps(RecordSteps transaction, @Nullable List<Point> alone) {
            this.transaction = transaction;
            this.alone = alone;
        }

        @Override
        public Optional<IdempotencyRecord> claim(
                IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
            return step(Step.CLAIM, point -> transaction.claim(record, retention, lockWait, durability));
        }

        @Override
        public Optional<IdempotencyRecord> read(IdempotencyKey key) {
            return step(Step.READ, point -> transaction.read(key));
        }

        @Override
        public Optional<IdempotencyRecord> lock(IdempotencyKey key, Duration lockWait) {
            return step(Step.LOCK, point -> transaction.lock(key, lockWait));
        }

        @Override
        public boolean succeed(IdempotencyKey key, UUID token, Optional<Payload> result) {
            return compareAndSet(Step.SUCCEED, () -> transaction.succeed(key, token, result));
        }

        @Override
        public void succeedAndCommit(
                IdempotencyKey key,
                UUID token,
                Optional<Payload> result,
                Supplier<? extends RuntimeException> otherwise) {
            if (!succeed(key, token, result)) {
                throw otherwise.get();
            }
        }

        @Override
        public void requireSameTransaction(IdempotencyKey key, Supplier<? extends RuntimeException> otherwise) {
            transaction.requireSameTransaction(key, otherwise);
        }

        @Override
        public boolean fail(IdempotencyKey key, UUID token, Failure failure) {
            return compareAndSet(Step.FAIL, () -> transaction.fail(key, token, failure));
        }

        @Override
        public boolean release(IdempotencyKey key, UUID token) {
            return compareAndSet(Step.RELEASE, () -> transaction.release(key, token));
        }

        @Override
        public boolean replaceToken(IdempotencyKey key, UUID token, UUID fresh) {
            return compareAndSet(Step.REPLACE_TOKEN, () -> transaction.replaceToken(key, token, fresh));
        }

        @Override
        public boolean confirm(IdempotencyKey key, UUID token) {
            return compareAndSet(Step.CONFIRM, () -> transaction.confirm(key, token));
        }

        private boolean compareAndSet(Step kind, Supplier<Boolean> step) {
            return step(kind, point -> !point.changesNothing && step.get());
        }

        private <T> T step(Step kind, Function<Point, T> step) {
            refuseIfLost();
            Point point = next(kind);
            try {
                point.begins();
                T answer = step.apply(point);
                if (alone == null) {
                    point.ends();
                } else {
                    alone.add(point);
                }
                return answer;
            } catch (RuntimeException thrown) {
                lost = thrown;
                throw thrown;
            }
        }

        private void refuseIfLost() {
            if (lost != null) {
                throw lost;
            }
        }
    }
}
