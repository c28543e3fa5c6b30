package io.counterpoint.idempotency.jdbc.guide;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.testing.PageProject;
import io.counterpoint.idempotency.testing.Snippets;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every snippet of the guide, and of the page about protocols, compiles, and their programs print what they show. */
class GuideSnippetsTest {

    private static final Path DOCS = Path.of("../docs");

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
    @CsvSource({"guide.md, 12", "choose.md, 2"})
    void everySnippetCompiles(String page, int snippets) throws IOException {
        new Snippets(GuideContext.class, IMPORTS).requireCompiling(DOCS.resolve(page), snippets);
    }

    @ParameterizedTest
    @CsvSource({"guide.md, FirstOperation", "choose.md, Protocols"})
    void programPrintsWhatItsPageShows(String page, String program, @TempDir Path folder) throws IOException {
        Process run = PageProject.of(DOCS.resolve(page), folder, entry -> true).start(program);
        String printed = new String(run.getInputStream().readAllBytes(), UTF_8);

        assertThat(DOCS.resolve(page)).content(UTF_8).contains("\n```\n" + printed + "```\n");
    }
}
