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
 * What operators may see of the records: everything but payloads, and scopes and keys only if a property permits it.
 *
 * @param administration reads the records
 * @param showsKeys whether views include scope and key
 */
record KeyRecords(Administration administration, boolean showsKeys) {

    /**
     * A record.
     *
     * @param operation the operation's name
     * @param hash {@link IdempotencyKey#hash()}
     * @param protocol C: claim first, S: single transaction, E: external, T: external with a follow-up, K: follow-up
     *     owed, B: follow-up broken
     * @param state P: pending, S: succeeded, F: failed
     * @param createdAt when the key was claimed
     * @param updatedAt when the record last changed
     * @param expiresAt when the purge may delete it
     * @param failureCode why the attempt failed, if it did
     * @param scope the scope, if shown
     * @param key the key, if shown
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

    /** Returns the visible part of a record. */
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

    /** Returns the pending records that have not changed for the given time, oldest first. */
    List<View> pending(Duration unchangedFor, int limit) {
        return administration.pending(unchangedFor, limit).stream()
                .map(this::view)
                .toList();
    }

    /**
     * Returns the record whose key has this hash or one with this prefix. Reads the keys of all records until it is
     * found.
     */
    Optional<StoredRecord> find(String hash) {
        return administration.find(hash);
    }

    /** The table's name. */
    String table() {
        return administration.table();
    }

    /** Returns how far the database's clock is ahead of this machine's. */
    Duration clockSkew() {
        return administration.clockSkew();
    }

    /** Fails if the table cannot be read. */
    void requireReadable() {
        administration.requireReadable();
    }
}
