package io.counterpoint.idempotency.spring.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

class MigrationPageTest {

    @Test
    void migrationPageShowsTheMethodThatRuns() throws IOException {
        String source = Files.readString(BridgeOfEntitiesTest.SOURCE);
        String bridge = source.substring(source.indexOf("// tag::bridge\n") + 15, source.indexOf("    // end::bridge"))
                .stripTrailing()
                .stripIndent();
        assertThat(Files.readString(BridgeOfEntitiesTest.PAGE)).contains("```java\n" + bridge + "\n```");
    }
}
