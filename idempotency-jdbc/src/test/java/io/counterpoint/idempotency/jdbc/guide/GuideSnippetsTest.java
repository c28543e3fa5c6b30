package io.counterpoint.idempotency.jdbc.guide;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.testing.PageProject;
import io.counterpoint.idempotency.testing.Snippets;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every snippet of the guide, and of the page about protocols, compiles. Programs print what their pages show. */
class GuideSnippetsTest {

    private static final String IMPORTS = """
            import io.counterpoint.idempotency.*;
            import io.counterpoint.idempotency.jdbc.Isolation;
            import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
            import java.lang.System.Logger.Level;
            import java.time.*;
            import java.util.*;
            import org.jdbi.v3.core.Handle;
            """;

    @ParameterizedTest
    @CsvSource({"guide.md, 12", "choose.md, 2"})
    void everySnippetCompiles(String page, int snippets) throws IOException {
        new Snippets(GuideContext.class, IMPORTS).requireCompiling(Path.of("../docs", page), snippets);
    }

    @ParameterizedTest
    @CsvSource({"guide.md, FirstOperation", "choose.md, Protocols", "databases.md, CheckDatabase"})
    @Tag("thorough")
    void programPrintsWhatItsPageShows(String page, String program, @TempDir Path folder) throws IOException {
        Path shown = Path.of("../docs", page);
        Process run = PageProject.of(shown, folder, entry -> true).start(program, "jdbc:h2:mem:checked");

        assertThat(shown)
                .content()
                .containsSubsequence(run.inputReader().lines().toList());
    }
}
