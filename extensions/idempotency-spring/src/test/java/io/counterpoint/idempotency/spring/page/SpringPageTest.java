package io.counterpoint.idempotency.spring.page;

import io.counterpoint.idempotency.testing.Snippets;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Every snippet of the page compiles. */
class SpringPageTest {

    private static final String IMPORTS = """
            import io.counterpoint.idempotency.*;
            import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
            import io.counterpoint.idempotency.spring.*;
            import java.sql.Connection;
            import java.util.UUID;
            """;

    @Test
    void everySnippetCompiles() throws IOException {
        new Snippets(PageContext.class, IMPORTS).requireCompiling(Path.of("../../docs/spring.md"), 3);
    }
}
