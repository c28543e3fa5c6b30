package io.counterpoint.idempotency.inbox.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.InvalidRequestException;
import io.counterpoint.idempotency.inbox.Identity;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Source and id of a CloudEvent are its identity, together. */
class CloudEventTest {

    private final KafkaMessages<String, String> messages = KafkaMessages.ofText(new TopicIds(Map.of()));

    /** As the page has it: the value of the structured mode, deserialized. */
    private record Event(@Nullable String source, @Nullable String id) {}

    private Optional<String> identity(byte @Nullable [] source, byte @Nullable [] id) {
        ConsumerRecord<String, String> event = new ConsumerRecord<>("events", 0, 0, "key", "data");
        event.headers().add("ce_specversion", "1.0".getBytes(UTF_8));
        if (source != null) {
            event.headers().add("ce_source", source);
        }
        if (id != null) {
            event.headers().add("ce_id", id);
        }
        return messages.cloudEvent().of(event);
    }

    private Optional<String> identity(String source, String id) {
        return identity(source.getBytes(UTF_8), id.getBytes(UTF_8));
    }

    @Test
    void copiesHaveOneIdentityAndOtherPairsOthers() {
        List<List<String>> pairs = List.of(
                List.of("/shop", "1"),
                List.of("/shop", "2"),
                List.of("/shop/", "1"),
                List.of("/shop1", "1"),
                List.of("/sho", "p1"),
                List.of("1", "/shop"),
                List.of("/SHOP", "1"),
                List.of("urn:x", " a b "),
                List.of("urn:x", "a b"),
                List.of("x".repeat(10_000), "\ud83d\ude00"));
        Set<String> identities = new HashSet<>();
        for (List<String> pair : pairs) {
            String identity = identity(pair.get(0), pair.get(1)).orElseThrow();
            assertThat(identity(pair.get(0), pair.get(1))).contains(identity);
            assertThat(Identity.ofCloudEvent(pair.get(0), pair.get(1))).contains(identity);
            assertThat(Attempt.inScope("inbox").key(identity).fingerprint(Fingerprint.ofParts()))
                    .isNotNull();
            assertThat(identity).hasSize(74).startsWith("ce-sha256:");
            identities.add(identity);
        }
        assertThat(identities).hasSameSizeAs(pairs);
    }

    @Test
    void structuredModeGivesTheIdentityOfTheBinaryOne() {
        KafkaMessages<String, Event> structured = KafkaMessages.of(new TopicIds(Map.of()), event -> new byte[0]);
        Identity<ConsumerRecord<String, Event>> identity =
                structured.field(event -> Identity.ofCloudEvent(event.source(), event.id()));

        assertThat(identity.of(new ConsumerRecord<>("events", 0, 0, "key", new Event("/shop", "1"))))
                .isEqualTo(identity("/shop", "1"));
        assertThat(identity.of(new ConsumerRecord<>("events", 0, 0, "key", new Event("/shop", null))))
                .isEmpty();
    }

    /** Records outlive the code that wrote them. */
    @Test
    void identityStaysWhatItWas() {
        assertThat(Identity.ofCloudEvent("/shop", "1"))
                .contains("ce-sha256:a92f9143e8db866ec9ffb6f30b229ce8bad37c98ace4c782fbc4f4009ed157b9");
    }

    @Test
    void eventWithoutBothHasNoIdentity() {
        byte[] there = {'x'};
        assertThat(identity(null, there)).isEmpty();
        assertThat(identity(there, null)).isEmpty();
        assertThat(identity(new byte[0], there)).isEmpty();
        assertThat(identity(there, new byte[0])).isEmpty();
        assertThatThrownBy(() -> identity(there, new byte[] {(byte) 0xe9}))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Identity.ofCloudEvent("x", "\ud83d")).isInstanceOf(InvalidRequestException.class);
    }
}
