package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.testing.Snippets;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every snippet of the toolkit's pages compiles. */
@Tag("thorough")
class ToolkitPagesTest {

    private static final String IMPORTS = """
            import static io.counterpoint.idempotency.consistency.check.Severity.*;
            import static io.counterpoint.idempotency.examples.appplatform.ToolkitPageContext.AppStatus.*;
            import static io.counterpoint.idempotency.jdbc.Isolation.*;
            import io.counterpoint.idempotency.*;
            import io.counterpoint.idempotency.consistency.*;
            import io.counterpoint.idempotency.consistency.check.*;
            import io.counterpoint.idempotency.consistency.comparison.*;
            import io.counterpoint.idempotency.consistency.invalidation.*;
            import io.counterpoint.idempotency.consistency.outbox.*;
            import io.counterpoint.idempotency.consistency.transition.*;
            import io.counterpoint.idempotency.consistency.transition.Passage.Completion;
            import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
            import io.counterpoint.idempotency.consistency.KeyedMutex;
            import java.time.*;
            import java.util.*;
            """;

    @ParameterizedTest
    @ValueSource(strings = {"checks", "outbox", "transitions"})
    void everySnippetCompiles(String page) throws IOException {
        new Snippets(ToolkitPageContext.class, IMPORTS)
                .requireCompiling(Path.of("../../docs/consistency/" + page + ".md"), 1);
    }
}
