package io.counterpoint.idempotency.jackson.page;

import io.counterpoint.idempotency.testing.Snippets;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Every snippet of the page about JSON compiles. */
class JsonPageTest {

    private static final String IMPORTS = """
            import com.fasterxml.jackson.core.type.TypeReference;
            import com.fasterxml.jackson.databind.node.ObjectNode;
            import io.counterpoint.idempotency.ResultCodec;
            import io.counterpoint.idempotency.encryption.ResultEncryption;
            import io.counterpoint.idempotency.jackson.JsonCodecs;
            import java.math.BigDecimal;
            import java.util.*;
            """;

    @Test
    void everySnippetCompiles() throws IOException {
        new Snippets(JsonPageContext.class, IMPORTS).requireCompiling(Path.of("../../docs/json.md"), 4);
    }
}
