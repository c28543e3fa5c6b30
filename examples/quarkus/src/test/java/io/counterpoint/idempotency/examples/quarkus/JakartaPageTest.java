package io.counterpoint.idempotency.examples.quarkus;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The page about Jakarta transactions begins with the service that is tested here. */
class JakartaPageTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "resources/application.properties",
                "java/groups/GroupService.java",
                "java/groups/GroupResource.java",
                "java/groups/GroupTable.java"
            })
    void filesOfThePageAreThoseOfTheService(String file) throws IOException {
        String name = "io.counterpoint.idempotency.examples.quarkus";
        String source = Files.readString(
                        Path.of("src/main", file.replace("/groups/", "/" + name.replace('.', '/') + "/")))
                .replace(name, "groups");
        assertThat(Files.readString(Path.of("../../docs/jakarta.md")))
                .contains("`src/main/" + file + "`\n\n```"
                        + file.substring(file.lastIndexOf('.') + 1)
                        + "\n" + source + "```\n");
    }
}
