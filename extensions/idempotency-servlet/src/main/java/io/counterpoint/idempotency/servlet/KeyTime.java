package io.counterpoint.idempotency.servlet;

import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/**
 * Reads the timestamp contained in a key, so that a key that has outlived its record is rejected instead of being
 * treated as new.
 *
 * <p>The client chooses this time, so it is used only to reject keys that are too old or too far in the future.
 */
@FunctionalInterface
public interface KeyTime {

    /**
     * Returns the time of a key.
     *
     * @param key the key
     * @return when the client created it; empty if it contains no time
     */
    Optional<Instant> of(String key);

    /**
     * Reads version 7 UUIDs (RFC 9562, section 5.7), whose first 48 bits are milliseconds since 1970. Other keys
     * contain no time.
     *
     * @return the reader
     */
    static KeyTime uuidV7() {
        return key -> {
            if (key.length() != 36) {
                // Not a UUID (RFC 9562, section 4); UUID.fromString would accept shorter texts too.
                return Optional.empty();
            }
            try {
                UUID id = UUID.fromString(key);
                return id.version() == 7
                        ? Optional.of(Instant.ofEpochMilli(id.getMostSignificantBits() >>> 16))
                        : Optional.empty();
            } catch (IllegalArgumentException noUuid) {
                return Optional.empty();
            }
        };
    }
}
