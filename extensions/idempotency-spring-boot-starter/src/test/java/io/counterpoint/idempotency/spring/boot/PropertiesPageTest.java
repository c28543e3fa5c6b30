package io.counterpoint.idempotency.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.json.JsonParserFactory;

/** The table of the page is what the compiler has written of the properties for editors. */
class PropertiesPageTest {

    private static final Path PAGE = Path.of("../../docs/spring-boot.md");

    @Test
    void tableOfThePageIsThatOfTheMetadata() throws Exception {
        List<String> expected = new ArrayList<>();
        for (Map<?, ?> property : properties()) {
            Object byDefault = property.get("defaultValue");
            expected.add("| `" + property.get("name") + "` | "
                    + (byDefault == null ? "none" : "`" + byDefault + "`")
                    + " | " + property.get("description") + " |");
        }
        assertThat(expected).hasSizeGreaterThan(20);
        assertThat(Files.readAllLines(PAGE).stream().filter(line -> line.startsWith("| `idempotency.")))
                .containsExactlyElementsOf(expected);
    }

    private static List<Map<?, ?>> properties() throws Exception {
        List<Map<?, ?>> all = new ArrayList<>();
        for (URL file : Collections.list(PropertiesPageTest.class
                .getClassLoader()
                .getResources("META-INF/spring-configuration-metadata.json"))) {
            for (Object property : (List<?>) read(file).getOrDefault("properties", List.of())) {
                if (property instanceof Map<?, ?> one
                        && String.valueOf(one.get("name")).startsWith("idempotency.")) {
                    all.add(one);
                }
            }
        }
        return all;
    }

    private static Map<String, Object> read(URL file) throws Exception {
        try (InputStream in = file.openStream()) {
            return JsonParserFactory.getJsonParser().parseMap(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }
}
