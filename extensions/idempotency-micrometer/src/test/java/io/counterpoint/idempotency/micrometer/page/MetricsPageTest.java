package io.counterpoint.idempotency.micrometer.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.micrometer.IdempotencyMetrics;
import io.counterpoint.idempotency.testing.Snippets;
import io.micrometer.common.KeyValue;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every snippet of the page about metrics compiles. */
class MetricsPageTest {

    private static final String IMPORTS = """
            import io.counterpoint.idempotency.*;
            import io.counterpoint.idempotency.micrometer.*;
            import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
            import io.micrometer.observation.ObservationRegistry;
            import java.sql.SQLException;
            import java.util.concurrent.TimeUnit;
            import java.util.logging.Level;
            """;

    @TempDir
    private Path classes;

    @Test
    void everySnippetCompiles() throws IOException {
        Snippets.Result compiled = new Snippets(
                        MetricsPageContext.class,
                        IMPORTS,
                        Idempotency.class,
                        IdempotencyMetrics.class,
                        KeyValue.class,
                        MeterRegistry.class,
                        ObservationRegistry.class,
                        NullUnmarked.class)
                .compile(Path.of("../../docs/metrics.md"), classes);
        assertThat(compiled.errors()).isEmpty();
        assertThat(compiled.snippets()).isEqualTo(2);
    }
}
