package io.counterpoint.idempotency.inbox.page;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.testing.PageProject;
import io.counterpoint.idempotency.testing.Snippets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every snippet of the page compiles, and its import prints what the page shows. */
class InboxPageTest {

    private static final Path PAGE = Path.of("../../docs/inbox.md");

    private static final String IMPORTS = """
        import com.rabbitmq.client.Delivery;
        import io.counterpoint.idempotency.*;
        import io.counterpoint.idempotency.inbox.*;
        import io.counterpoint.idempotency.inbox.kafka.*;
        import io.counterpoint.idempotency.inbox.spring.InboxMessageListener;
        import jakarta.jms.TextMessage;
        import java.nio.charset.StandardCharsets;
        import java.time.Duration;
        import java.util.*;
        import org.apache.kafka.clients.consumer.ConsumerRecord;
        import org.jdbi.v3.core.Handle;
        import software.amazon.awssdk.services.sqs.model.Message;
        import software.amazon.awssdk.services.sqs.model.MessageAttributeValue;
        import software.amazon.awssdk.services.sqs.model.MessageSystemAttributeName;
        """;

    @Test
    void everySnippetCompiles() throws IOException {
        new Snippets(InboxPageContext.class, IMPORTS).requireCompiling(PAGE, 9);
    }

    @Test
    void fileIsImportedOnce(@TempDir Path folder) throws IOException {
        PageProject project = PageProject.of(PAGE, folder, entry -> true);
        Files.writeString(folder.resolve("lines.csv"), "r-1,ann,1250\nr-2,bob,300\nr-2,bob,9999\n");
        List<String> printed = new ArrayList<>();
        for (int run = 1; run <= 2; run++) {
            Process process = project.start("PaymentImport", "lines.csv");
            printed.addAll(new String(process.getInputStream().readAllBytes(), UTF_8)
                    .lines()
                    .toList());
        }
        assertThat(Files.readString(PAGE).lines().filter(line -> line.startsWith("# r-")))
                .containsExactlyElementsOf(
                        printed.stream().map(line -> "# " + line).toList());
    }
}
