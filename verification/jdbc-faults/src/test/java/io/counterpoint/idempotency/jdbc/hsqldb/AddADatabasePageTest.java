package io.counterpoint.idempotency.jdbc.hsqldb;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.testing.Snippets;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** docs/add-a-database.md says what there is, and its template uses what is published. */
class AddADatabasePageTest {

    private static final Path PAGE = Path.of("../../docs/add-a-database.md");
    private static final Path TEMPLATE = Path.of("src/test/java/io/counterpoint/idempotency/jdbc/hsqldb");
    private static final Pattern OURS = Pattern.compile("import (?:static )?(io\\.counterpoint\\.[a-z0-9.]*)\\.[A-Z]");

    private static final String IMPORTS = """
            import io.counterpoint.idempotency.*;
            import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
            import io.counterpoint.idempotency.jdbc.hsqldb.HsqldbDialect;
            import io.counterpoint.idempotency.jdbc.spi.*;
            import io.counterpoint.idempotency.jdbc.testkit.DialectContract;
            import javax.sql.DataSource;
            import org.jdbi.v3.core.Handle;
            """;

    @Test
    void everySnippetCompiles() throws Exception {
        new Snippets(PageContext.class, IMPORTS).requireCompiling(PAGE, 2);
    }

    @Test
    void everyMethodOfADialectIsOnThePage() throws IOException {
        String page = Files.readString(PAGE);
        assertThat(Arrays.stream(Dialect.class.getMethods()).map(Method::getName))
                .allSatisfy(method -> assertThat(page).containsPattern("`(Dialect\\.)?" + method + "`"));
    }

    @Test
    void templateUsesOnlyWhatIsPublished() throws IOException {
        for (String file : new String[] {"HsqldbDialect.java", "HsqldbErrors.java"}) {
            Stream<String> packages = OURS.matcher(Files.readString(TEMPLATE.resolve(file)))
                    .results()
                    .map(MatchResult::group)
                    .map(found -> found.replaceAll("import (static )?|\\.[A-Z]$", ""));
            assertThat(packages)
                    .isSubsetOf(
                            "io.counterpoint.idempotency",
                            "io.counterpoint.idempotency.spi",
                            "io.counterpoint.idempotency.jdbc",
                            "io.counterpoint.idempotency.jdbc.spi");
        }
    }
}
