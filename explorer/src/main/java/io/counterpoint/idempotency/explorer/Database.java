package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.IdempotencyClock;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.Session;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The in-memory store as a server of its own: with a log from which it recovers after a crash, and the domain's table,
 * in which nothing refuses a second effect.
 */
final class Database {

    private static final int BATCH = 10;

    private final Scenario scenario;
    private final Names names;
    private final List<Commit> log = new ArrayList<>();
    private final List<ServerTransaction> open = new ArrayList<>();
    private IdempotencyStore<Transaction> store;
    private long minutes;
    private long inserted;
    private long updated;
    private int recoveries;

    /** Since the key was last purged: its effects in this database, and external ones. */
    final List<String> effects = new ArrayList<>();

    final List<String> externalEffects = new ArrayList<>();

    /** What would be left after a crash. */
    private String durable = "";

    /** Whether a Failed record has become durable since the key was last purged. */
    private boolean failedDurably;

    private int purges;
    private Optional<IdempotencyRecord> record = Optional.empty();
    private @Nullable ServerTransaction lockHolder;

    Database(Scenario scenario, Names names) {
        this.scenario = scenario;
        this.names = names;
        this.store = fresh();
    }

    private IdempotencyStore<Transaction> fresh() {
        return scenario.beneath().apply(new InMemoryIdempotencyStore(new IdempotencyClock() {
            @Override
            public Instant now() {
                return Instant.EPOCH.plus(Duration.ofMinutes(minutes));
            }

            @Override
            public void sleep(Duration pause) {
                throw new UnsupportedOperationException();
            }
        }));
    }

    IdempotencyStore<Transaction> store() {
        return store;
    }

    Optional<IdempotencyRecord> record() {
        return record;
    }

    int recoveries() {
        return recoveries;
    }

    long minutes() {
        return minutes;
    }

    int purges() {
        return purges;
    }

    boolean failedDurably() {
        return failedDurably;
    }

    /** All effects of the key, wherever they are. */
    List<String> allEffects() {
        List<String> all = new ArrayList<>(effects);
        all.addAll(externalEffects);
        return all;
    }

    // ---- locks ---------------------------------------------------------------------------------------------------

    /** Whether the step would have to wait for another transaction. */
    boolean blocks(Step step, @Nullable ServerTransaction transaction) {
        if (lockHolder == null || lockHolder == transaction) {
            return false;
        }
        return step.kind() == Step.Kind.CLAIM ? record.isEmpty() : step.kind().locksRecord() && record.isPresent();
    }

    void begun(ServerTransaction transaction) {
        open.add(transaction);
    }

    void locked(ServerTransaction transaction) {
        lockHolder = transaction;
    }

    boolean holdsLock(ServerTransaction transaction) {
        return lockHolder == transaction;
    }

    void ended(ServerTransaction transaction) {
        open.remove(transaction);
        if (lockHolder == transaction) {
            lockHolder = null;
        }
    }

    // ---- commits -------------------------------------------------------------------------------------------------

    /** One step in a transaction of its own. */
    Object alone(Step step) {
        return alone(step, true);
    }

    /** The same; one whose wait for the standby is broken is seen by everybody, and not yet durable. */
    Object alone(Step step, boolean replicated) {
        Object answer;
        try (Session<Transaction> session = store.open(Configuration.KEY)) {
            answer = session.<Object>autoCommit(step::in);
        }
        if (step.changed(answer)) {
            committed(List.of(new Change(step, minutes)), replicated);
        }
        return answer;
    }

    void committed(List<Change> changes, boolean replicated) {
        if (changes.isEmpty()) {
            return;
        }
        Commit commit = new Commit(
                changes,
                replicated && scenario.keeps(changes.stream().map(Change::step).toList()));
        log.add(commit);
        dated(changes);
        look();
        if (commit.durable()) {
            durable = code();
            failedDurably |= isFailed();
        }
    }

    private void dated(List<Change> changes) {
        if (record.isEmpty()) {
            inserted = changes.get(0).minutes();
        }
        updated = changes.get(changes.size() - 1).minutes();
    }

    private void look() {
        try (Session<Transaction> session = store.open(Configuration.KEY)) {
            record = session.autoCommit(transaction -> transaction.read(Configuration.KEY));
        }
    }

    boolean isFailed() {
        return record.map(found -> found.fold(pending -> false, succeeded -> false, failed -> true))
                .orElse(false);
    }

    // ---- events --------------------------------------------------------------------------------------------------

    void pass(long some) {
        minutes += some;
        look();
    }

    /** Whether there was anything to purge. */
    boolean purge() {
        if (store.purgeExpired(BATCH) == 0) {
            return false;
        }
        log.clear();
        effects.clear();
        externalEffects.clear();
        failedDurably = false;
        durable = "";
        purges++;
        look();
        return true;
    }

    /** The server dies and recovers: open transactions are rolled back, and the tail of its log is lost. */
    void restart() {
        rollBackAll();
        recoveries++;
        while (!log.isEmpty() && !log.get(log.size() - 1).durable()) {
            log.remove(log.size() - 1);
        }
        store = fresh();
        effects.clear();
        record = Optional.empty();
        long now = minutes;
        for (Commit commit : log) {
            try (Session<Transaction> session = store.open(Configuration.KEY)) {
                session.<Object>inTransaction((steps, scope) -> {
                    for (Change change : commit.changes()) {
                        minutes = change.minutes();
                        change.step().in(steps, scope);
                    }
                    return log;
                });
            }
            dated(commit.changes());
            look();
        }
        minutes = now;
        look();
    }

    /** Whether a crash would lose anything. */
    boolean hasTail() {
        return !log.isEmpty() && !log.get(log.size() - 1).durable();
    }

    void rollBackAll() {
        List.copyOf(open).forEach(transaction -> transaction.end(false));
    }

    // ---- state ---------------------------------------------------------------------------------------------------

    private String code() {
        return record.map(names::of).orElse("-") + effects;
    }

    String state() {
        return code()
                + (hasTail() ? durable : "=")
                + externalEffects
                + failedDurably
                + (record.isPresent() ? (minutes - inserted) + "." + (minutes - updated) : "");
    }

    private record Commit(List<Change> changes, boolean durable) {}
}
