package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.testing.SourceTree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What main code loads or finds by name is named in its jar, for the compiler of native images. No image is built. */
class NativeImageTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern GLOB = Pattern.compile("\\{\"glob\": \"([^\"]+)\"\\}");
    private static final Pattern TYPE = Pattern.compile("\"type\": \"([^\"]+)\"");
    private static final Pattern BY_NAME = Pattern.compile("Class\\.forName\\(\\s*\"([^\"]+)\"");

    /** Spring's hints name those of the starter, and nobody compiles a testkit. */
    private static Stream<Path> modules() throws IOException {
        try (Stream<Path> extensions = Files.list(ROOT.resolve("extensions"))) {
            return Stream.concat(
                            Stream.of("idempotency-core", "idempotency-jdbc").map(ROOT::resolve),
                            extensions.toList().stream())
                    .filter(module -> !module.toString().matches(".*(testkit|trial|spring-boot)"))
                    .filter(module -> Files.isDirectory(module.resolve("src/main/java")));
        }
    }

    @Test
    void everyFileOfAModuleThatLoadsFilesIsNamed() throws IOException {
        int files = 0;
        for (Path module : modules().filter(NativeImageTest::loadsFiles).toList()) {
            List<String> globs = named(module, GLOB);
            Path resources = module.resolve("src/main/resources");
            List<String> unnamed = new ArrayList<>();
            for (Path file : SourceTree.files(resources)) {
                Path name = resources.relativize(file);
                if (!name.startsWith("META-INF")) {
                    files++;
                    if (globs.stream().noneMatch(glob -> matches(glob, name))) {
                        unnamed.add(name.toString());
                    }
                }
            }
            assertThat(unnamed).as(module.toString()).isEmpty();
        }
        assertThat(files).isGreaterThanOrEqualTo(25);
    }

    @Test
    void everyClassThatIsFoundByNameIsNamed() throws IOException {
        int classes = 0;
        for (Path module : modules().toList()) {
            List<String> found = BY_NAME.matcher(sources(module))
                    .results()
                    .map(one -> one.group(1))
                    .toList();
            assertThat(named(module, TYPE)).as(module.toString()).containsAll(found);
            classes += found.size();
        }
        assertThat(classes).isGreaterThanOrEqualTo(3);
    }

    private static boolean loadsFiles(Path module) {
        return sources(module).contains("getResourceAsStream");
    }

    private static boolean matches(String glob, Path name) {
        return FileSystems.getDefault().getPathMatcher("glob:" + glob).matches(name);
    }

    /** At the place where the compiler looks. */
    private static List<String> named(Path module, Pattern what) throws IOException {
        Path file = module.resolve("src/main/resources/META-INF/native-image/io.counterpoint.idempotency/"
                + module.getFileName() + "/reachability-metadata.json");
        return Files.exists(file)
                ? what.matcher(Files.readString(file))
                        .results()
                        .map(one -> one.group(1))
                        .toList()
                : List.of();
    }

    private static String sources(Path module) {
        try {
            StringBuilder all = new StringBuilder();
            for (Path file : SourceTree.files(module.resolve("src/main/java"))) {
                all.append(Files.readString(file));
            }
            return all.toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
