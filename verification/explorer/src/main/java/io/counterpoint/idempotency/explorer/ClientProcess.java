package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyClock;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.engine.ForeignTokens;
import io.counterpoint.idempotency.explorer.Scenario.Memory;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.LockScope;
import io.counterpoint.idempotency.spi.Session;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The process that a client calls. It remembers the keys that it has seen. Every call gets a new store. */
final class ClientProcess {

    private final IdempotencyClock clock;
    private @Nullable Idempotency<Transaction> idempotency;
    private @Nullable IdempotencyStore<Transaction> store;
    private @Nullable Execution execution;
    private boolean hasMetTheKey;

    /** Tokens of this process's calls that have ended without a reply, which it may remember. */
    private String unfinished = "";

    ClientProcess(IdempotencyClock clock) {
        this.clock = clock;
    }

    /** The process dies and is replaced. */
    void end() {
        idempotency = null;
        hasMetTheKey = false;
        unfinished = "";
    }

    /** Returns the engine for one call, on that call's store. */
    Idempotency<Transaction> idempotency(Execution now, IdempotencyStore<Transaction> ofTheCall) {
        execution = now;
        store = ofTheCall;
        Idempotency<Transaction> known = idempotency;
        if (known == null) {
            known = Idempotency.builder(new StoreOfTheCall()).clock(clock).build();
            idempotency = known;
        }
        return known;
    }

    /** Records the end of a failed call. */
    void called(String tokens) {
        hasMetTheKey = true;
        unfinished += tokens;
    }

    /** Records the end of a call that returned. */
    void called(Outcome<String> outcome, String tokens) {
        hasMetTheKey = true;
        unfinished = outcome instanceof Outcome.InProgress ? unfinished + tokens : "";
    }

    String state() {
        return (hasMetTheKey ? "m" : "n") + unfinished;
    }

    private final class StoreOfTheCall implements IdempotencyStore<Transaction> {

        private IdempotencyStore<Transaction> now() {
            IdempotencyStore<Transaction> now = store;
            if (now == null) {
                throw new IllegalStateException("Nobody calls.");
            }
            return now;
        }

        /** Called when a call first reads from the store. */
        private IdempotencyStore<Transaction> now(IdempotencyKey key) {
            Execution ofTheCall = execution;
            if (ofTheCall != null && idempotency != null && ofTheCall.scenario().memory() == Memory.FOREIGN) {
                ForeignTokens.remember(idempotency, key, ofTheCall.tokens());
            }
            execution = null;
            return now();
        }

        @Override
        public Session<Transaction> open(IdempotencyKey key) {
            return now(key).open(key);
        }

        @Override
        public Session<Transaction> openForClaim(IdempotencyKey key, Duration maxWait) {
            return now(key).openForClaim(key, maxWait);
        }

        @Override
        public Optional<IdempotencyRecord> read(IdempotencyKey key) {
            return now(key).read(key);
        }

        @Override
        public Optional<Failure> describe(Throwable thrown) {
            return now().describe(thrown);
        }

        @Override
        public Fault classify(Throwable thrown) {
            return now().classify(thrown);
        }

        @Override
        public LockScope lockScope() {
            return now().lockScope();
        }

        @Override
        public boolean keepsEveryInsert() {
            return true;
        }

        @Override
        public int purgeExpired(int batch) {
            return now().purgeExpired(batch);
        }
    }
}
