package io.counterpoint.idempotency.inbox.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.inbox.Inbox;
import io.counterpoint.idempotency.testing.Snippets;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.kafka.clients.admin.Admin;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.kafka.support.Acknowledgment;

/** Every snippet of the page compiles. */
class InboxPageTest {

    private static final String IMPORTS = """
        import io.counterpoint.idempotency.inbox.*;
        import io.counterpoint.idempotency.inbox.kafka.*;
        import io.counterpoint.idempotency.inbox.spring.InboxMessageListener;
        import java.time.Duration;
        import java.util.Set;
        import org.apache.kafka.clients.consumer.ConsumerRecord;
        import org.jdbi.v3.core.Handle;
        """;

    @TempDir
    private Path classes;

    @Test
    void everySnippetCompiles() throws IOException {
        Snippets.Result compiled = new Snippets(
                        InboxPageContext.class,
                        IMPORTS,
                        Idempotency.class,
                        Inbox.class,
                        Admin.class,
                        Jdbi.class,
                        Acknowledgment.class,
                        NullUnmarked.class)
                .compile(Path.of("../../docs/inbox.md"), classes);
        assertThat(compiled.errors()).isEmpty();
        assertThat(compiled.snippets()).isEqualTo(3);
    }
}
