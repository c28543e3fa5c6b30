package io.counterpoint.idempotency.jdbc.guide;

import io.counterpoint.idempotency.testing.Snippets;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The settings of pool and store in docs/databases.md compile. */
class HighAvailabilityPageTest {

    private static final String IMPORTS = """
            import com.zaxxer.hikari.*;
            import io.counterpoint.idempotency.*;
            import java.sql.SQLException;
            import java.time.Duration;
            import org.jdbi.v3.core.Handle;
            """;

    @Test
    void everySnippetCompiles() throws IOException {
        new Snippets(HighAvailabilityContext.class, IMPORTS)
                .requireCompiling(Path.of("../docs/databases.md"), "High availability on PostgreSQL", 3);
    }
}
