package io.counterpoint.idempotency.spring.page;

import io.counterpoint.idempotency.testing.Snippets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The snippets of the page that need no Boot compile. */
class SpringPageTest {

    private static final String IMPORTS = """
            import io.counterpoint.idempotency.*;
            import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
            import io.counterpoint.idempotency.spring.*;
            import java.sql.Connection;
            import java.util.UUID;
            """;

    @Test
    void everySnippetCompiles(@TempDir Path folder) throws IOException {
        String page = Files.readString(Path.of("../../docs/spring-boot.md"));
        Path withoutBoot =
                Files.writeString(folder.resolve("page.md"), page.substring(page.indexOf("\n## Transactions\n")));
        new Snippets(PageContext.class, IMPORTS).requireCompiling(withoutBoot, 3);
    }
}
