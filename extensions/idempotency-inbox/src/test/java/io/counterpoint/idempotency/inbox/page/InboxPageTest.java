package io.counterpoint.idempotency.inbox.page;

import io.counterpoint.idempotency.testing.Snippets;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Every snippet of the page compiles. */
class InboxPageTest {

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
        new Snippets(InboxPageContext.class, IMPORTS).requireCompiling(Path.of("../../docs/inbox.md"), 9);
    }
}
