package io.counterpoint.idempotency.jdbc.guide;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.testing.Snippets;
import java.io.IOException;
import java.nio.file.Path;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page's settings of pool and store compile. */
class HighAvailabilityPageTest {

    private static final String IMPORTS = """
            import com.zaxxer.hikari.*;
            import io.counterpoint.idempotency.*;
            import java.sql.SQLException;
            import java.time.Duration;
            import org.jdbi.v3.core.Handle;
            """;

    @TempDir
    private Path classes;

    @Test
    void everySnippetCompiles() throws IOException {
        Snippets.Result compiled = new Snippets(
                        HighAvailabilityContext.class,
                        IMPORTS,
                        Idempotency.class,
                        HikariConfig.class,
                        Jdbi.class,
                        NullUnmarked.class)
                .compile(Path.of("../docs/high-availability.md"), classes);
        assertThat(compiled.errors()).isEmpty();
        assertThat(compiled.snippets()).isEqualTo(3);
    }
}
