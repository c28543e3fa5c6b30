package io.counterpoint.idempotency.inbox;

import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.InvalidRequestException;
import java.util.HexFormat;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads the identity of a message: equal for all copies of one message, different for different messages. The producer
 * must choose it, as a header or a field of the payload; only then are the producer's own duplicates recognised.
 *
 * @param <M> the broker's message type
 */
@FunctionalInterface
public interface Identity<M> {

    /**
     * Reads the identity of a message.
     *
     * @param message the message
     * @return 1 to 255 visible characters; empty if the message has none. A message without an acceptable identity
     *     becomes a dead letter, as does one for which this throws or returns null
     */
    Optional<String> of(M message);

    /**
     * Returns the identity of a CloudEvent, whose producer gives each event a unique pair of {@code source} and {@code
     * id} (CloudEvents 1.0, "Required Attributes"). It is a digest of both, because each may be long and contain
     * spaces. The digest covers the length of each, so different pairs never have the same input.
     *
     * @param source the attribute {@code source}, verbatim; null if the event has none
     * @param id the attribute {@code id}, verbatim; null if the event has none
     * @return 74 visible characters; empty if one of them is missing or empty, which makes the message a dead letter
     * @throws InvalidRequestException if one contains an unpaired surrogate, or both together exceed 64 MiB
     */
    static Optional<String> ofCloudEvent(@Nullable String source, @Nullable String id) {
        return source == null || id == null || source.isEmpty() || id.isEmpty()
                ? Optional.empty()
                : Optional.of("ce-sha256:"
                        + HexFormat.of()
                                .formatHex(Fingerprint.ofParts(source, id).toBytes()));
    }
}
