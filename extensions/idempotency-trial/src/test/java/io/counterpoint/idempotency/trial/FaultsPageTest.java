package io.counterpoint.idempotency.trial;

import io.counterpoint.idempotency.testing.Snippets;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The example of the page about faults compiles. */
class FaultsPageTest {

    private static final String IMPORTS = """
            import io.counterpoint.idempotency.Attempt;
            import io.counterpoint.idempotency.trial.FaultInjection;
            import java.util.stream.Stream;
            import org.junit.jupiter.api.DynamicTest;
            import org.junit.jupiter.api.TestFactory;
            """;

    @Test
    void exampleCompiles() throws IOException {
        new Snippets(FaultsPageContext.class, IMPORTS).requireCompiling(Path.of("../../docs/proof/faults.md"), 1);
    }
}
