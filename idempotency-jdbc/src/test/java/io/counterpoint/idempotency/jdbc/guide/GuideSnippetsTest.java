package io.counterpoint.idempotency.jdbc.guide;

import io.counterpoint.idempotency.testing.Snippets;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Every snippet of the guide compiles. */
class GuideSnippetsTest {

    private static final String IMPORTS = """
            import io.counterpoint.idempotency.*;
            import io.counterpoint.idempotency.jdbc.Isolation;
            import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
            import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
            import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
            import io.counterpoint.idempotency.spi.DomainTable;
            import java.lang.System.Logger.Level;
            import java.sql.Connection;
            import java.time.*;
            import java.util.*;
            import java.util.concurrent.*;
            import org.jdbi.v3.core.Handle;
            """;

    @Test
    void everySnippetCompiles() throws IOException {
        new Snippets(GuideContext.class, IMPORTS).requireCompiling(Path.of("../docs/guide.md"), 23);
    }
}
