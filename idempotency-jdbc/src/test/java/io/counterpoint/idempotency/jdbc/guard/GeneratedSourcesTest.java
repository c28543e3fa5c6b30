package io.counterpoint.idempotency.jdbc.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class GeneratedSourcesTest {

    private static final Path GENERATED = Path.of(
            "target/generated-sources/guard/main/java",
            Guard.class.getPackageName().split("\\."));

    /** Pinned: a change of the generator is read in what it writes, and pinned again. */
    @Test
    void everyJdkWritesTheSameBytes() throws IOException, NoSuchAlgorithmException {
        List<Path> files;
        try (Stream<Path> all = Files.list(GENERATED)) {
            files = all.sorted().toList();
        }
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        for (Path file : files) {
            digest.update(Files.readAllBytes(file));
        }
        assertThat(files).hasSize(17);
        assertThat(HexFormat.of().formatHex(digest.digest()))
                .isEqualTo("2a7ee5c861b938e79dfb75669aa4a69c7351f3b8f7934b079eaa038f1e1a044b");
    }
}
