package io.counterpoint.idempotency.jdbc.guide;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.testing.PageProject;
import io.counterpoint.idempotency.testing.Snippets;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program of docs/databases.md runs, and the settings of pool and store compile. */
class HighAvailabilityPageTest {

    private static final Path PAGE = Path.of("../docs/databases.md");

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
                .requireCompiling(PAGE, "High availability on PostgreSQL", 3);
    }

    @Test
    void programChecksADatabase(@TempDir Path folder) throws IOException {
        Process run = PageProject.of(PAGE, folder, entry -> true).start("CheckDatabase", "jdbc:h2:mem:checked");

        assertThat(run.getInputStream()).hasContent("No problems found");
    }
}
