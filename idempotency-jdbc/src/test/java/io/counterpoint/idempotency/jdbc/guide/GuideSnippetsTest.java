package io.counterpoint.idempotency.jdbc.guide;

import io.counterpoint.idempotency.testing.Snippets;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every snippet of the guide, and of the page about protocols, compiles. */
class GuideSnippetsTest {

    private static final String IMPORTS = """
            import io.counterpoint.idempotency.*;
            import io.counterpoint.idempotency.jdbc.Isolation;
            import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
            import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
            import java.lang.System.Logger.Level;
            import java.sql.Connection;
            import java.time.*;
            import java.util.*;
            import java.util.concurrent.*;
            import org.jdbi.v3.core.Handle;
            """;

    @ParameterizedTest
    @CsvSource({"guide.md, 12", "choose.md, 1"})
    void everySnippetCompiles(String page, int snippets) throws IOException {
        new Snippets(GuideContext.class, IMPORTS)
                .requireCompiling(Path.of("../docs").resolve(page), snippets);
    }
}
