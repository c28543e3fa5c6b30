package io.counterpoint.idempotency.examples.groupcreation;

import io.counterpoint.idempotency.testing.Snippets;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The wiring in the README compiles. */
class ReadmeTest {

    @Test
    void snippetsCompile() throws IOException {
        new Snippets(Object.class, "").requireCompiling(Path.of("README.md"), 2);
    }
}
