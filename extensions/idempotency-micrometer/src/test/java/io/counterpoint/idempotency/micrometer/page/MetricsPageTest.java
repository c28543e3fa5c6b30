package io.counterpoint.idempotency.micrometer.page;

import io.counterpoint.idempotency.testing.Snippets;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Every snippet about metrics compiles. */
class MetricsPageTest {

    private static final Path PAGE = Path.of("../../docs/operate-reference.md");
    private static final String IMPORTS = """
            import io.counterpoint.idempotency.*;
            import io.counterpoint.idempotency.micrometer.*;
            import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
            import io.micrometer.observation.ObservationRegistry;
            import java.sql.SQLException;
            import java.util.concurrent.TimeUnit;
            import java.util.logging.Level;
            """;

    @Test
    void everySnippetCompiles() throws IOException {
        new Snippets(MetricsPageContext.class, IMPORTS).requireCompiling(PAGE, "Metrics", 2);
    }
}
