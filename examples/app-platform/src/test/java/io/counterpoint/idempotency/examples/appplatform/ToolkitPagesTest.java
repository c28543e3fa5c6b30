package io.counterpoint.idempotency.examples.appplatform;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.check.Check;
import io.counterpoint.idempotency.consistency.comparison.Comparison;
import io.counterpoint.idempotency.consistency.outbox.Outbox;
import io.counterpoint.idempotency.consistency.transition.StateGraph;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.testing.Snippets;
import java.io.IOException;
import java.nio.file.Path;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every snippet of the toolkit's pages compiles. */
class ToolkitPagesTest {

    private static final String IMPORTS = """
            import static io.counterpoint.idempotency.consistency.check.Severity.*;
            import static io.counterpoint.idempotency.examples.appplatform.ToolkitPageContext.AppStatus.*;
            import static org.jdbi.v3.core.transaction.TransactionIsolationLevel.*;
            import io.counterpoint.idempotency.*;
            import io.counterpoint.idempotency.consistency.*;
            import io.counterpoint.idempotency.consistency.check.*;
            import io.counterpoint.idempotency.consistency.comparison.*;
            import io.counterpoint.idempotency.consistency.outbox.*;
            import io.counterpoint.idempotency.consistency.transition.*;
            import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
            import io.counterpoint.idempotency.spi.KeyedMutex;
            import java.time.*;
            import java.util.*;
            """;

    @TempDir
    private Path classes;

    @ParameterizedTest
    @ValueSource(strings = {"checks", "comparison", "outbox", "transactions", "transitions"})
    void everySnippetCompiles(String page) throws IOException {
        Snippets.Result compiled = new Snippets(
                        ToolkitPageContext.class,
                        IMPORTS,
                        Idempotency.class,
                        JdbiIdempotencyStore.class,
                        Transactions.class,
                        Check.class,
                        Comparison.class,
                        Outbox.class,
                        StateGraph.class,
                        Jdbi.class,
                        NullUnmarked.class)
                .compile(Path.of("../../docs/consistency/" + page + ".md"), classes);
        assertThat(compiled.errors()).isEmpty();
        assertThat(compiled.snippets()).isPositive();
    }
}
