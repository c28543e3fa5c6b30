package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.explorer.BatchServer.Open;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.LockScope;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.WorkScope;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/** The store as the engine of one batch sees it. What others can see of it is a gate. */
final class BatchStore implements IdempotencyStore<Open> {

    private final BatchCaller caller;

    BatchStore(BatchCaller caller) {
        this.caller = caller;
    }

    @Override
    public Session<Open> open(IdempotencyKey key) {
        return new Connection();
    }

    @Override
    public Session<Open> openForClaim(IdempotencyKey key, Duration maxWait) {
        return open(key);
    }

    @Override
    public Optional<IdempotencyRecord> read(IdempotencyKey key) {
        try (Session<Open> session = open(key)) {
            return session.autoCommit(steps -> steps.read(key));
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
    public LockScope lockScope() {
        return caller.schedule().scenario().overNodes() ? LockScope.NODE : LockScope.GLOBAL;
    }

    @Override
    public int purgeExpired(int batch) {
        return 0;
    }

    /** A connection: it is lost with a message on it. */
    final class Connection implements Session<Open> {
        private boolean lost;
        private boolean over;

        boolean isLost() {
            return lost;
        }

        void lose() {
            lost = true;
        }

        @Override
        public boolean probablyClaimed() {
            return false;
        }

        @Override
        public boolean hasTurn() {
            return true;
        }

        @Override
        public <T> T autoCommit(Function<? super RecordSteps, ? extends T> step) {
            return step.apply(new BatchSteps(caller, this, Optional.empty()));
        }

        @Override
        public Optional<IdempotencyRecord> claimAndLock(
                Pending pending, Duration retention, Duration lockWait, Durability durability) {
            return autoCommit(steps -> steps.claim(pending, retention, lockWait, durability));
        }

        @Override
        public <T> T inTransaction(BiFunction<? super RecordSteps, ? super WorkScope<Open>, ? extends T> body) {
            Open transaction = caller.schedule().server().begin();
            over = false;
            T answer;
            try {
                answer = body.apply(
                        new BatchSteps(caller, this, Optional.of(transaction)), WorkScope.of(() -> transaction));
            } catch (RuntimeException | Error thrown) {
                if (!caller.isGone() && !lost && !over) {
                    transaction.end(false);
                }
                throw thrown;
            }
            commit(transaction);
            return answer;
        }

        /** Does nothing after the first time. */
        void commit(Open transaction) {
            if (!over) {
                over = true;
                Object unused = caller.pass(options -> offerCommit(options, transaction));
            }
        }

        @Override
        public boolean commitMayBeSent() {
            return over;
        }

        private void offerCommit(Options options, Open transaction) {
            if (transaction.isRefused()) {
                options.goesOn(
                        caller,
                        () -> caller + " commits: refused, another node was first",
                        () -> conflict(transaction));
                return;
            }
            options.goesOn(caller, () -> caller + " commits", () -> {
                transaction.end(true);
                caller.answered("c", "ok");
            });
            if (!transaction.hasChanges()) {
                options.fault(caller, () -> caller + " commits: unanswered, nothing was written", this::loseAtCommit);
                return;
            }
            options.fault(caller, () -> caller + " commits: unanswered, the commit is on its way", () -> {
                caller.schedule().late(caller, transaction, true);
                loseAtCommit();
            });
            options.fault(caller, () -> caller + " commits: unanswered, the request is lost", () -> {
                caller.schedule().late(caller, transaction, false);
                loseAtCommit();
            });
            options.fault(caller, () -> caller + " commits: a conflict, rolled back", () -> conflict(transaction));
            options.fault(caller, () -> caller + " commits, and dies, the commit is on its way", () -> {
                caller.schedule().late(caller, transaction, true);
                caller.dies();
            });
            options.fault(caller, () -> caller + " dies before it commits", () -> {
                caller.schedule().late(caller, transaction, false);
                caller.dies();
            });
        }

        private void conflict(Open transaction) {
            transaction.end(false);
            caller.failed("c", new Injected(Fault.CONFLICT, true));
        }

        private void loseAtCommit() {
            lost = true;
            caller.failed("c", Injected.lostAtCommit());
        }

        @Override
        public Optional<Throwable> afterCommitFailure() {
            return Optional.empty();
        }

        @Override
        public void close() {}
    }
}
