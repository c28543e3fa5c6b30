package io.counterpoint.idempotency.sharding.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.sharding.Shards;
import io.counterpoint.idempotency.testing.Snippets;
import java.nio.file.Path;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The snippets of docs/sharding.md compile. */
class ShardingPageTest {

    private static final String IMPORTS = """
            import io.counterpoint.idempotency.*;
            import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
            import io.counterpoint.idempotency.sharding.*;
            import java.util.*;
            import org.jdbi.v3.core.Handle;
            """;

    @TempDir
    private Path classes;

    @Test
    void everySnippetCompiles() throws Exception {
        Snippets snippets = new Snippets(
                PageContext.class,
                IMPORTS,
                Shards.class,
                Idempotency.class,
                JdbiIdempotencyStore.class,
                Jdbi.class,
                NullUnmarked.class);

        Snippets.Result result = snippets.compile(Path.of("../../docs/sharding.md"), classes);

        assertThat(result.errors()).isEmpty();
        assertThat(result.snippets()).isEqualTo(1);
    }
}
