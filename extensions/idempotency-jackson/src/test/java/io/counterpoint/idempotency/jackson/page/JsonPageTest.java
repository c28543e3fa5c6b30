package io.counterpoint.idempotency.jackson.page;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.encryption.ResultEncryption;
import io.counterpoint.idempotency.jackson.JsonCodecs;
import io.counterpoint.idempotency.testing.Snippets;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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

    @TempDir
    private Path classes;

    @Test
    void everySnippetCompiles() throws IOException {
        Snippets.Result compiled = new Snippets(
                        JsonPageContext.class,
                        IMPORTS,
                        Idempotency.class,
                        JsonCodecs.class,
                        ResultEncryption.class,
                        JsonProperty.class,
                        JsonParser.class,
                        JsonNode.class,
                        NullUnmarked.class)
                .compile(Path.of("../../docs/json.md"), classes);
        assertThat(compiled.errors()).isEmpty();
        assertThat(compiled.snippets()).isEqualTo(4);
    }
}
