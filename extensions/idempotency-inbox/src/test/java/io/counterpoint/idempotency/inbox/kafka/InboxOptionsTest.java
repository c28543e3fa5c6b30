package io.counterpoint.idempotency.inbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.inbox.Inbox;
import io.counterpoint.idempotency.inbox.InboxBuilder;
import io.counterpoint.idempotency.internal.Backoff;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

/** The page of options has all of the inbox. */
class InboxOptionsTest {

    @Test
    void everyOptionIsInTheTableWithItsDefault() throws Exception {
        String page = Files.readString(Path.of("../../docs/options.md"));
        int start = page.indexOf("## The inbox");
        Map<String, String> defaults = Pattern.compile("(?m)^\\| [^|]+ \\| `(\\w+)` \\|([^|]*)\\|")
                .matcher(page.substring(start, page.indexOf("\n## ", start)))
                .results()
                .collect(Collectors.toMap(
                        row -> row.group(1), row -> row.group(2).strip()));
        InboxBuilder<?, ConsumerRecord<String, String>> inbox = inbox();
        KafkaInbox.Builder<?, ?> loop = KafkaInbox.builder(
                inbox.build((handle, message) -> {}), Set.of("payments"), Map.of("group.id", "payments"));
        Backoff pauses = (Backoff) field(loop, "backoff");

        assertThat(defaults.keySet())
                .containsExactlyInAnyOrderElementsOf(Stream.of(inbox, loop)
                        .flatMap(builder -> Arrays.stream(builder.getClass().getMethods())
                                .filter(method -> method.getReturnType() == builder.getClass()))
                        .map(Method::getName)
                        .toList());
        assertThat(defaults)
                .containsEntry("retention", "`" + ((Duration) field(inbox, "retention")).toDays() + "d`")
                .containsEntry("batch", "`" + field(loop, "batch") + "`")
                .containsEntry(
                        "retryAfter",
                        "`" + pauses.first().toMillis() + "ms`, `"
                                + pauses.longest().toSeconds() + "s`");
    }

    @Test
    void retentionBeyondTheBoundOfTheTableIsRefused() {
        InboxBuilder<?, ConsumerRecord<String, String>> inbox = inbox();

        assertThat(inbox.retention(Duration.ofDays(3650)).build((handle, message) -> {}))
                .isNotNull();
        assertThatThrownBy(() ->
                        inbox.retention(Duration.ofDays(3650).plusNanos(1)).build((handle, message) -> {}))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static InboxBuilder<?, ConsumerRecord<String, String>> inbox() {
        return Inbox.builder(
                        new InMemoryIdempotencyStore(),
                        "payments",
                        KafkaMessages.<String>ofText(new TopicIds(Map.of())))
                .identity(message -> Optional.empty())
                .deadLetters((handle, letter) -> {});
    }

    private static Object field(Object of, String name) throws Exception {
        Field field = of.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(of);
    }
}
