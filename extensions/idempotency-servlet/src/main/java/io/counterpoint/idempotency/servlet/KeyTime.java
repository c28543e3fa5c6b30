package io.counterpoint.idempotency.servlet;

import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/**
 * Reads the time that a key contains, so that a key that has outlived its record is rejected instead of being treated
 * as new.
 *
 * <p>The time comes from the client. It only decides whether a key is too old, or too far ahead, to be accepted.
 */
@FunctionalInterface
public interface KeyTime {

    /**
     * The time of a key.
     *
     * @param key the key
     * @return when the client generated it; empty if it contains no time
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
                // No UUID (RFC 9562, section 4); UUID.fromString takes shorter ones too.
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
