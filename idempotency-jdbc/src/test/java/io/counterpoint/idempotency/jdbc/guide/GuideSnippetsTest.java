package io.counterpoint.idempotency.jdbc.guide;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.testing.Snippets;
import java.io.IOException;
import java.nio.file.Path;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every snippet of the guide compiles. */
class GuideSnippetsTest {

    private static final String IMPORTS = """
            import io.counterpoint.idempotency.*;
            import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
            import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
            import java.sql.Connection;
            import java.time.Duration;
            import java.util.*;
            import java.util.concurrent.*;
            import java.util.logging.Level;
            import org.jdbi.v3.core.Handle;
            import org.jdbi.v3.core.transaction.TransactionIsolationLevel;
            """;

    @TempDir
    private Path classes;

    @Test
    void everySnippetCompiles() throws IOException {
        Snippets.Result compiled = new Snippets(
                        GuideContext.class,
                        IMPORTS,
                        Idempotency.class,
                        JdbiIdempotencyStore.class,
                        Jdbi.class,
                        NullUnmarked.class)
                .compile(Path.of("../docs/guide.md"), classes);
        assertThat(compiled.errors()).isEmpty();
        assertThat(compiled.snippets()).isGreaterThan(20);
    }
}
