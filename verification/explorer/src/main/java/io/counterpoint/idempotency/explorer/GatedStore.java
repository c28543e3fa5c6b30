package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.LastStep;
import io.counterpoint.idempotency.spi.LockScope;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.WorkScope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The store as one caller's engine sees it: every call to it is a gate. */
final class GatedStore implements IdempotencyStore<Transaction> {

    private final Caller caller;

    GatedStore(Caller caller) {
        this.caller = caller;
    }

    Caller caller() {
        return caller;
    }

    @Override
    public Session<Transaction> open(IdempotencyKey key) {
        if (!isOfBatch()) {
            caller.pass(new SessionRequests.Open(caller));
        }
        return new GatedSession();
    }

    private boolean isOfBatch() {
        return caller.execution().scenario().batches() != null;
    }

    @Override
    public LockScope lockScope() {
        return caller.execution().scenario().hasGlobalLocks() ? LockScope.GLOBAL : LockScope.NODE;
    }

    @Override
    public Session<Transaction> openForClaim(IdempotencyKey key, Duration maxWait) {
        return open(key);
    }

    @Override
    public Optional<IdempotencyRecord> read(IdempotencyKey key) {
        try (Session<Transaction> session = open(key)) {
            return session.autoCommit(steps -> ((Steps) steps).readNow(key));
        }
    }

    @Override
    public Optional<Failure> describe(Throwable thrown) {
        return Optional.empty();
    }

    @Override
    public Fault classify(Throwable thrown) {
        return thrown instanceof Injected injected ? injected.fault() : Fault.UNRECOGNISED;
    }

    @Override
    public boolean keepsEveryInsert() {
        return true;
    }

    @Override
    public int purgeExpired(int batch) {
        throw new UnsupportedOperationException("The explorer purges.");
    }

    /** A connection, which can be lost with a message in flight or with the server. */
    final class GatedSession implements Session<Transaction> {
        private final Node node = caller.place().node();
        private final int recoveries = node.recoveries();
        private boolean broken;
        private boolean sent;

        Node node() {
            return node;
        }

        boolean isBroken() {
            return broken || recoveries != node.recoveries();
        }

        void breaks() {
            broken = true;
            caller.place().movesOnFrom(node);
        }

        @Override
        public boolean probablyClaimed() {
            return caller.configuration().probablyClaimed();
        }

        @Override
        public boolean hasTurn() {
            return true;
        }

        @Override
        public <T> T autoCommit(Function<? super RecordSteps, ? extends T> step) {
            return step.apply(new Steps(
                    call -> caller.pass(
                            isOfBatch()
                                    ? new BatchRequest(caller, this, null, call)
                                    : new SessionRequests.Alone(caller, this, call)),
                    this,
                    null));
        }

        @Override
        public Optional<IdempotencyRecord> claimAndLock(
                Pending pending, Duration retention, Duration lockWait, Durability durability) {
            return autoCommit(steps -> steps.claim(pending, retention, lockWait, durability));
        }

        @Override
        public <T> T inTransaction(BiFunction<? super RecordSteps, ? super WorkScope<Transaction>, ? extends T> body) {
            ServerTransaction transaction = caller.execution().begin(this);
            sent = false;
            caller.place().begins(transaction);
            Steps steps = new Steps(call -> passes(transaction, call), this, transaction);
            T answer;
            try {
                answer = body.apply(steps, WorkScope.of(() -> {
                    caller.userCode().in(transaction);
                    return transaction.handle();
                }));
            } catch (RuntimeException | Error thrown) {
                if (!sent && !caller.isGone() && transaction.isOpen() && !transaction.isBroken()) {
                    rollBack(transaction);
                }
                throw thrown;
            }
            if (!sent && transaction.isBegun()) {
                commit(new TransactionRequests.Commit(caller, transaction));
            }
            return answer;
        }

        private Object passes(ServerTransaction transaction, Step step) {
            if (!isOfBatch()) {
                return caller.pass(new TransactionRequests.InTransaction(caller, transaction, step));
            }
            if (step.kind().marks() && transaction.holdsLock(step.key())) {
                // Nobody else can see it before the commit.
                caller.requireNotGone();
                return transaction.perform(step);
            }
            return caller.pass(new BatchRequest(caller, this, transaction, step));
        }

        private void rollBack(ServerTransaction transaction) {
            if (isOfBatch()) {
                transaction.rollBack();
            } else {
                caller.pass(new TransactionRequests.RollBack(caller, transaction));
            }
        }

        private void commit(Request request) {
            sent = true;
            Object unused = caller.pass(request);
        }

        @Override
        public boolean commitMayBeSent() {
            return sent;
        }

        @Override
        public Optional<Throwable> afterCommitFailure() {
            return Optional.empty();
        }

        @Override
        public void close() {}
    }

    private final class Steps implements RecordSteps {
        private final Function<Step, Object> gate;
        private final GatedSession session;
        private final @Nullable ServerTransaction transaction;

        Steps(Function<Step, Object> gate, GatedSession session, @Nullable ServerTransaction transaction) {
            this.gate = gate;
            this.session = session;
            this.transaction = transaction;
        }

        @Override
        public Optional<IdempotencyRecord> claim(
                IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
            boolean mayBeLost = durability == Durability.ASYNCHRONOUS;
            caller.writes(record.token(), name(record.token()));
            String kind = record.fold(pending -> "", succeeded -> " Succeeded", failed -> " Failed");
            return record(new Step(
                    Step.Kind.CLAIM,
                    record.key(),
                    name(record.token()) + kind,
                    false,
                    mayBeLost,
                    (steps, unused) -> steps.claim(record, retention, Duration.ZERO, durability)));
        }

        @Override
        public Optional<IdempotencyRecord> read(IdempotencyKey key) {
            return record(Step.of(Step.Kind.GUESS, key, "", steps -> steps.read(key)));
        }

        @Override
        public Map<IdempotencyKey, IdempotencyRecord> readAll(List<IdempotencyKey> keys) {
            Map<IdempotencyKey, IdempotencyRecord> found = new HashMap<>();
            Object all = gate.apply(Step.of(Step.Kind.GUESS, keys.get(0), " and all", steps -> steps.readAll(keys)));
            ((Map<?, ?>) all)
                    .values().stream()
                            .map(IdempotencyRecord.class::cast)
                            .forEach(record -> found.put(record.key(), record));
            return found;
        }

        private Optional<IdempotencyRecord> readNow(IdempotencyKey key) {
            return record(Step.of(Step.Kind.READ, key, "", steps -> steps.read(key)));
        }

        @Override
        public Optional<IdempotencyRecord> lock(IdempotencyKey key, Duration lockWait) {
            return record(new Step(
                    Step.Kind.LOCK,
                    key,
                    "",
                    lockWait.isZero(),
                    false,
                    (steps, unused) -> steps.lock(key, Duration.ZERO)));
        }

        private Optional<IdempotencyRecord> record(Step step) {
            return ((Optional<?>) gate.apply(step)).map(IdempotencyRecord.class::cast);
        }

        @Override
        public boolean succeed(IdempotencyKey key, UUID token, Optional<Payload> result) {
            return changes(
                    Step.Kind.SUCCEED, key, name(token) + Names.of(result), steps -> steps.succeed(key, token, result));
        }

        /** Each step requires the transaction that was begun. */
        @Override
        public LastStep.Result commitWith(LastStep step) {
            ServerTransaction open = Objects.requireNonNull(transaction);
            if (open.isReplaced()) {
                return LastStep.Result.ENDED;
            }
            List<LastStep.Insert> inserts = inserts(step);
            if (!inserts.isEmpty()) {
                session.commit(new InsertAndCommit(
                        caller, open, inserts.stream().map(this::insert).toList()));
                return LastStep.Result.DONE;
            }
            return step.doneBy(this, unused -> false) ? commit(open) : LastStep.Result.NOT_MINE;
        }

        private LastStep.Result commit(ServerTransaction open) {
            try {
                session.commit(new TransactionRequests.Commit(caller, open));
                return LastStep.Result.DONE;
            } catch (TransactionRequests.Ended ended) {
                return LastStep.Result.ENDED;
            }
        }

        private List<LastStep.Insert> inserts(LastStep step) {
            List<LastStep.Insert> inserts = new ArrayList<>();
            boolean unused = step.fold(
                    one -> true, all -> true, none -> true, inserts::add, all -> step.doneBy(this, inserts::add));
            return inserts;
        }

        private Step insert(LastStep.Insert insert) {
            IdempotencyRecord record = insert.record();
            caller.writes(record.token(), name(record.token()));
            return new Step(
                    Step.Kind.CLAIM,
                    record.key(),
                    name(record.token()) + " last",
                    false,
                    false,
                    (steps, unused) -> steps.claim(record, insert.retention(), insert.lockWait(), Durability.DURABLE));
        }

        @Override
        public boolean hasEnded(IdempotencyKey key, Throwable thrown) {
            return transaction != null && transaction.isReplaced();
        }

        @Override
        public void beginUnclaimed(IdempotencyKey key) {}

        @Override
        public boolean takeTurn(IdempotencyKey key) {
            return !caller.configuration().takesTurns()
                    || (Boolean) caller.pass(new TransactionRequests.Turn(caller, Objects.requireNonNull(transaction)));
        }

        @Override
        public boolean fail(IdempotencyKey key, UUID token, Failure failure) {
            return changes(Step.Kind.FAIL, key, name(token), steps -> steps.fail(key, token, failure));
        }

        @Override
        public boolean release(IdempotencyKey key, UUID token) {
            return changes(Step.Kind.RELEASE, key, name(token), steps -> steps.release(key, token));
        }

        @Override
        public boolean replaceToken(IdempotencyKey key, UUID token, UUID fresh) {
            caller.writes(fresh, name(fresh));
            if (token.equals(fresh)) {
                return writes(Step.Kind.HEARTBEAT, key, token, steps -> steps.replaceToken(key, token, token));
            }
            return changes(
                    Step.Kind.REPLACE_TOKEN,
                    key,
                    name(token) + " by " + name(fresh),
                    steps -> steps.replaceToken(key, token, fresh));
        }

        @Override
        public boolean changeProtocol(
                IdempotencyKey key, UUID token, UUID fresh, Protocol protocol, Optional<Payload> plan) {
            caller.writes(fresh, name(fresh));
            return changes(
                    Step.Kind.CHANGE_PROTOCOL,
                    key,
                    name(token) + " by " + name(fresh),
                    steps -> steps.changeProtocol(key, token, fresh, protocol, plan));
        }

        @Override
        public boolean confirm(IdempotencyKey key, UUID token) {
            return writes(Step.Kind.CONFIRM, key, token, steps -> steps.confirm(key, token));
        }

        /** Changes only the time of the last change, or nothing at all. */
        private boolean writes(Step.Kind kind, IdempotencyKey key, UUID token, Function<RecordSteps, ?> action) {
            if (!caller.execution().scenario().idleHeartbeats()) {
                return changes(kind, key, name(token), action);
            }
            return changes(
                    Step.Kind.WRITE_THE_SAME,
                    key,
                    name(token),
                    steps -> steps.read(key)
                            .filter(record -> record.token().equals(token))
                            .isPresent());
        }

        private boolean changes(Step.Kind kind, IdempotencyKey key, String detail, Function<RecordSteps, ?> action) {
            return (Boolean) gate.apply(Step.of(kind, key, detail, action));
        }

        private String name(UUID token) {
            return caller.execution().names().of(token);
        }
    }
}
