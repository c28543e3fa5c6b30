package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.admin.Administration;
import io.counterpoint.idempotency.admin.StoredRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What operators may see of the records: all but payloads, and scopes and keys only where a property shows them.
 *
 * @param administration reads the records
 * @param showsKeys whether views have scope and key
 */
record KeyRecords(Administration administration, boolean showsKeys) {

    /**
     * A record.
     *
     * @param operation the operation's name
     * @param hash {@link IdempotencyKey#hash()}
     * @param protocol C: claim first, S: single transaction, E: external, T: external with a follow-up, K: follow-up owed, B:
     *     follow-up broken off
     * @param state P: pending, S: succeeded, F: failed
     * @param createdAt when the key was claimed
     * @param updatedAt when the record last changed
     * @param expiresAt when the purge may take it
     * @param failureCode why the attempt failed, if it did
     * @param scope the scope, where it is shown
     * @param key the key, where it is shown
     */
    record View(
            String operation,
            String hash,
            String protocol,
            String state,
            Instant createdAt,
            Instant updatedAt,
            Instant expiresAt,
            @Nullable String failureCode,
            @Nullable String scope,
            @Nullable String key) {}

    /** What may be seen of a record. */
    View view(StoredRecord record) {
        return new View(
                record.key().operation(),
                record.key().hash(),
                record.protocol().toString(),
                record.state().toString(),
                record.createdAt(),
                record.updatedAt(),
                record.expiresAt(),
                record.failure().map(Failure::code).orElse(null),
                showsKeys ? record.key().scope() : null,
                showsKeys ? record.key().value() : null);
    }

    /** The pending records that have not changed for so long, the oldest first. */
    List<View> pending(Duration unchangedFor, int limit) {
        return administration.pending(unchangedFor, limit).stream()
                .map(this::view)
                .toList();
    }

    /** The record whose key has this hash, or a hash that begins so. Reads the keys of all records until it is found. */
    Optional<StoredRecord> find(String hash) {
        return administration.find(hash);
    }

    /** The table's name. */
    String table() {
        return administration.table();
    }

    /** How far the database's clock is ahead of this machine's. */
    Duration clockSkew() {
        return administration.clockSkew();
    }

    /** Fails if the table cannot be read. */
    void requireReadable() {
        administration.requireReadable();
    }
}
