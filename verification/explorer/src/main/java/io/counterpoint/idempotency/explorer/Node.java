package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.WorkScope;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A server's copy of the records, with its own locks. A single server is the whole database. If there are several, each
 * applies the commits of the others later, in the same order.
 */
final class Node {

    private final int index;
    private IdempotencyStore<Transaction> store;
    private final Map<IdempotencyKey, IdempotencyRecord> records = new TreeMap<>();
    private final Map<IdempotencyKey, ServerTransaction> locks = new TreeMap<>();

    /** The number of commits in the log that it has applied. */
    private int applied;

    /** The number of times that it has died. */
    private int recoveries;

    /** The effects that it has applied. */
    final Map<IdempotencyKey, List<String>> effects = new TreeMap<>();

    Node(int index, IdempotencyStore<Transaction> store) {
        this.index = index;
        this.store = store;
    }

    IdempotencyStore<Transaction> store() {
        return store;
    }

    /** The record as committed on this node. */
    Optional<IdempotencyRecord> record(IdempotencyKey key) {
        return Optional.ofNullable(records.get(key));
    }

    int applied() {
        return applied;
    }

    void appliedAll(List<?> log) {
        applied = log.size();
    }

    int recoveries() {
        return recoveries;
    }

    void look(List<IdempotencyKey> keys) {
        try (Session<Transaction> session = store.open(Configuration.KEY)) {
            for (IdempotencyKey key : keys) {
                Optional<IdempotencyRecord> record = session.autoCommit(steps -> steps.read(key));
                records.compute(key, (unused, before) -> record.orElse(null));
            }
        }
    }

    /** It has died and recovers, starting empty. */
    void startAgain(IdempotencyStore<Transaction> fresh) {
        store = fresh;
        records.clear();
        effects.clear();
        applied = 0;
    }

    void dies() {
        recoveries++;
    }

    // ---- locks ---------------------------------------------------------------------------------------------------

    void locked(IdempotencyKey key, ServerTransaction transaction) {
        locks.put(key, transaction);
    }

    @Nullable
    ServerTransaction lockHolder(IdempotencyKey key) {
        return locks.get(key);
    }

    /** The names of the keys whose locks a transaction holds. */
    String lockedBy(ServerTransaction transaction) {
        StringBuilder keys = new StringBuilder();
        locks.forEach((key, holder) -> keys.append(holder == transaction ? key.value() : ""));
        return keys.toString();
    }

    /** A commit of another node changes the record. */
    void rollBackLockHolder(IdempotencyKey key) {
        ServerTransaction holder = locks.get(key);
        if (holder != null) {
            holder.abort();
        }
    }

    void unlocked(ServerTransaction transaction) {
        locks.values().removeIf(holder -> holder == transaction);
    }

    // ---- steps ---------------------------------------------------------------------------------------------------

    /** Executes a step in its own transaction. */
    Object alone(Step step) {
        try (Session<Transaction> session = store.open(Configuration.KEY)) {
            return session.<Object>autoCommit(step::in);
        }
    }

    /** The result of a transaction that is rolled back. */
    Object tried(BiFunction<RecordSteps, WorkScope<Transaction>, Object> body) {
        try (Session<Transaction> session = store.open(Configuration.KEY)) {
            return session.<Object>inTransaction((steps, scope) -> {
                throw new Tried(body.apply(steps, scope));
            });
        } catch (Tried tried) {
            return tried.answer;
        }
    }

    /** The transaction handle for user code. The explorer produces the effects. */
    Transaction handle() {
        try (Session<Transaction> session = store.open(Configuration.KEY)) {
            return session.inTransaction((steps, scope) -> scope.handle());
        }
    }

    void apply(BiConsumer<RecordSteps, WorkScope<Transaction>> commit) {
        try (Session<Transaction> session = store.open(Configuration.KEY)) {
            session.<Object>inTransaction((steps, scope) -> {
                commit.accept(steps, scope);
                return this;
            });
        }
    }

    @Override
    public String toString() {
        return "node " + (index + 1);
    }

    /** Rolls back and returns a result. */
    private static final class Tried extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient Object answer;

        Tried(Object answer) {
            super("tried", null, false, false);
            this.answer = answer;
        }
    }
}
