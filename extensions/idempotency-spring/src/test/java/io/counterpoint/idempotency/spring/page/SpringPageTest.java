package io.counterpoint.idempotency.spring.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.spring.SpringIdempotencyStore;
import io.counterpoint.idempotency.testing.Snippets;
import jakarta.persistence.EntityManagerFactory;
import java.io.IOException;
import java.nio.file.Path;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every snippet of the page compiles. */
class SpringPageTest {

    private static final String IMPORTS = """
            import io.counterpoint.idempotency.*;
            import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
            import io.counterpoint.idempotency.spring.*;
            import java.sql.Connection;
            import java.util.UUID;
            """;

    @TempDir
    private Path classes;

    @Test
    void everySnippetCompiles() throws IOException {
        Snippets.Result compiled = new Snippets(
                        PageContext.class,
                        IMPORTS,
                        Idempotency.class,
                        JdbiIdempotencyStore.class,
                        SpringIdempotencyStore.class,
                        EntityManagerFactory.class,
                        Jdbi.class)
                .compile(Path.of("../../docs/spring.md"), classes);
        assertThat(compiled.errors()).isEmpty();
        assertThat(compiled.snippets()).isEqualTo(3);
    }
}
