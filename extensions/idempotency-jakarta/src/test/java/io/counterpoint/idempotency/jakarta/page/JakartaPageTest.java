package io.counterpoint.idempotency.jakarta.page;

import io.counterpoint.idempotency.testing.Snippets;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Every snippet of the page compiles. */
class JakartaPageTest {

    private static final String IMPORTS = """
            import io.counterpoint.idempotency.*;
            import io.counterpoint.idempotency.jakarta.*;
            import jakarta.enterprise.inject.Produces;
            import jakarta.inject.Singleton;
            import java.sql.Connection;
            import java.util.UUID;
            """;

    @Test
    void everySnippetCompiles() throws IOException {
        new Snippets(PageContext.class, IMPORTS).requireCompiling(Path.of("../../docs/jakarta.md"), 2);
    }
}
