package io.counterpoint.idempotency.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.testing.Snippets;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The snippets of docs/http-clients.md compile, and its table has every result. */
class ClientPageTest {

    private static final Path PAGE = Path.of("../../docs/http-clients.md");

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

    /** The table of the page of options. */
    @Test
    void everySettingIsInTheTableWithItsDefault() throws Exception {
        String page = Files.readString(Path.of("../../docs/options.md"));
        int start = page.indexOf("## The client");
        Map<String, String> defaults = Pattern.compile("(?m)^\\| [^|]+ \\| `(\\w+)` \\| ([^|]+) \\|")
                .matcher(page.substring(start, page.indexOf("\n## ", start)))
                .results()
                .collect(Collectors.toMap(row -> row.group(1), row -> row.group(2)));
        CallSettings settings = CallSettings.defaults();

        assertThat(defaults.keySet())
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(CallSettings.Builder.class.getDeclaredMethods())
                        .filter(method -> Modifier.isPublic(method.getModifiers()))
                        .map(Method::getName)
                        .filter(name -> !name.equals("build"))
                        .toList());
        assertThat(defaults)
                .containsEntry("tries", "`" + settings.tries + "`")
                .containsEntry("timeLimit", text(settings.timeLimit))
                .containsEntry("tryTimeout", text(settings.tryTimeout))
                .containsEntry("keyLifetime", text(settings.keyLifetime))
                .containsEntry("backoff", text(settings.backoff.first()) + ", " + text(settings.backoff.longest()))
                .containsEntry("maxBody", "`" + (settings.maxBody >> 20) + "MB`");
    }

    /** In the largest unit of which it is a whole number, days apart. */
    private static String text(Duration duration) {
        long millis = duration.toMillis();
        if (millis % 1_000 != 0) {
            return "`" + millis + "ms`";
        }
        long seconds = millis / 1_000;
        return "`"
                + (seconds % 3_600 == 0
                        ? seconds / 3_600 + "h"
                        : seconds % 60 == 0 ? seconds / 60 + "m" : seconds + "s")
                + "`";
    }
}
