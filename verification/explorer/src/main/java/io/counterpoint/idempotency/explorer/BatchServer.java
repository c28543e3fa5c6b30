package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A database with the records of several keys, their locks, and the domain's table, in which nothing refuses a second
 * effect. Nothing here waits: the explorer asks beforehand whether a step would.
 */
final class BatchServer {

    private final Map<IdempotencyKey, IdempotencyRecord> records = new TreeMap<>();
    private final Map<IdempotencyKey, List<String>> effects = new TreeMap<>();
    private final Map<IdempotencyKey, Open> locks = new TreeMap<>();
    private final Map<IdempotencyKey, Integer> versions = new TreeMap<>();
    private final Names names;
    private boolean graceIsOver;

    BatchServer(Names names) {
        this.names = names;
    }

    /** A transaction that has not ended. It sees what it has changed. */
    final class Open {
        private final Map<IdempotencyKey, Optional<IdempotencyRecord>> changes = new TreeMap<>();
        private final Map<IdempotencyKey, String> written = new TreeMap<>();
        private final Map<IdempotencyKey, Integer> found = new TreeMap<>();

        Optional<IdempotencyRecord> find(IdempotencyKey key) {
            Optional<IdempotencyRecord> changed = changes.get(key);
            return changed != null ? changed : record(key);
        }

        void lock(IdempotencyKey key) {
            locks.put(key, this);
        }

        boolean holds(IdempotencyKey key) {
            return locks.get(key) == this;
        }

        void change(IdempotencyKey key, Optional<IdempotencyRecord> to) {
            lock(key);
            found.putIfAbsent(key, version(key));
            changes.put(key, to);
        }

        /** The work of an attempt. */
        void writeEffect(IdempotencyKey key, String value) {
            written.put(key, value);
        }

        boolean hasChanges() {
            return !changes.isEmpty() || !written.isEmpty();
        }

        /** Whether another node was first: what this transaction has changed, another one has changed and committed. */
        boolean isRefused() {
            return found.entrySet().stream().anyMatch(change -> version(change.getKey()) != change.getValue());
        }

        /** Its client goes on at another node, where nothing waits for it. */
        void unlock() {
            locks.values().removeIf(holder -> holder == this);
        }

        void end(boolean commits) {
            if (commits && !isRefused()) {
                changes.forEach(BatchServer.this::put);
                written.forEach((key, value) -> effects(key).add(value));
            }
            unlock();
            changes.clear();
            written.clear();
        }

        String code() {
            StringBuilder code = new StringBuilder(isRefused() ? "refused" : "");
            locks.forEach((key, holder) -> code.append(holder == this ? key.value() : ""));
            changes.forEach((key, record) -> code.append(key.value()).append(names.ofAnswer(record)));
            written.forEach((key, value) -> code.append(key.value()).append(value));
            return code.toString();
        }
    }

    Open begin() {
        return new Open();
    }

    private int version(IdempotencyKey key) {
        return versions.getOrDefault(key, 0);
    }

    private void put(IdempotencyKey key, Optional<IdempotencyRecord> record) {
        versions.merge(key, 1, Integer::sum);
        if (record.isPresent()) {
            records.put(key, record.get());
        } else {
            records.remove(key);
        }
    }

    /** As committed. */
    Optional<IdempotencyRecord> record(IdempotencyKey key) {
        return Optional.ofNullable(records.get(key))
                .map(record -> record instanceof Pending pending && graceIsOver ? aged(pending) : record);
    }

    private static IdempotencyRecord aged(Pending pending) {
        return new Pending(
                pending.key(),
                pending.protocol(),
                pending.token(),
                pending.fingerprint(),
                pending.plan(),
                Configuration.GRACE.plus(Duration.ofMinutes(1)));
    }

    List<String> effects(IdempotencyKey key) {
        return effects.computeIfAbsent(key, unused -> new ArrayList<>());
    }

    /** Whether a claim would wait for the insert of another transaction. */
    boolean blocksClaim(IdempotencyKey key, @Nullable Open transaction) {
        return !records.containsKey(key) && blocks(key, transaction);
    }

    /** Whether another transaction holds the record's lock. */
    boolean blocks(IdempotencyKey key, @Nullable Open transaction) {
        Open holder = locks.get(key);
        return holder != null && holder != transaction;
    }

    void passGrace() {
        graceIsOver = true;
    }

    String state() {
        StringBuilder state = new StringBuilder();
        records.forEach((key, record) -> state.append(key.value()).append(names.of(record)));
        effects.forEach((key, values) -> state.append(key.value()).append(values));
        return state.toString();
    }
}
