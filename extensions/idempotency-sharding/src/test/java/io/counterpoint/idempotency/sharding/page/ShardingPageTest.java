package io.counterpoint.idempotency.sharding.page;

import io.counterpoint.idempotency.testing.Snippets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The snippets of docs/databases.md on sharding compile. */
class ShardingPageTest {

    private static final String IMPORTS = """
            import io.counterpoint.idempotency.*;
            import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
            import io.counterpoint.idempotency.sharding.*;
            import java.util.*;
            import org.jdbi.v3.core.Handle;
            """;

    @Test
    void everySnippetCompiles() throws Exception {
        new Snippets(PageContext.class, IMPORTS)
                .requireCompiling(Path.of("../../docs/databases.md"), "Sharding by scope", 1);
    }
}
