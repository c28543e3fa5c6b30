package io.counterpoint.idempotency.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.testing.Snippets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** The snippets of docs/client.md compile, and its table has every result. */
class ClientPageTest {

    private static final Path PAGE = Path.of("../../docs/client.md");

    private static final String IMPORTS = """
            import io.counterpoint.idempotency.client.*;
            import java.net.URI;
            import java.net.http.*;
            import java.net.http.HttpRequest.BodyPublishers;
            import java.net.http.HttpResponse.BodyHandlers;
            import java.time.*;
            import org.springframework.http.ResponseEntity;
            import org.springframework.http.client.JdkClientHttpRequestFactory;
            import org.springframework.web.client.RestClient;
            """;

    @Test
    void everySnippetCompiles() throws Exception {
        new Snippets(PageContext.class, IMPORTS).requireCompiling(PAGE, 6);
    }

    @Test
    void tableHasEveryResult() throws Exception {
        String page = Files.readString(PAGE);

        assertThat(Arrays.stream(CallResult.class.getPermittedSubclasses()).map(Class::getSimpleName))
                .hasSize(10)
                .allMatch(name -> page.contains("\n| `" + name + "` |"));
    }
}
