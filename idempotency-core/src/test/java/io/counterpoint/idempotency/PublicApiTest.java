package io.counterpoint.idempotency;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What applications can name of this module, until the first release gives japicmp something to compare with. A change is
 * made on purpose, with its row in CHANGELOG.md: write the new list with {@code -Dapi.write=true}.
 */
class PublicApiTest {

    private static final Path CLASSES = Path.of("target/classes");
    private static final Path LIST = Path.of("src/test/resources/io/counterpoint/idempotency/public-api.txt");

    @Test
    void publicApiIsTheOneThatIsWrittenDown() throws Exception {
        List<String> found = exportedTypes().flatMap(PublicApiTest::linesOf).toList();
        if (Boolean.getBoolean("api.write")) {
            Path unused = Files.write(LIST, found, UTF_8);
        }

        assertThat(found).isEqualTo(Files.readAllLines(LIST, UTF_8));
    }

    private static Stream<Class<?>> exportedTypes() throws IOException {
        Set<String> exported;
        try (var descriptor = Files.newInputStream(CLASSES.resolve("module-info.class"))) {
            exported = ModuleDescriptor.read(descriptor).exports().stream()
                    .filter(one -> !one.isQualified())
                    .map(ModuleDescriptor.Exports::source)
                    .collect(Collectors.toSet());
        }
        try (Stream<Path> files = Files.walk(CLASSES)) {
            return files
                    .map(file -> CLASSES.relativize(file).toString())
                    .filter(name -> name.endsWith(".class") && !name.endsWith("-info.class"))
                    .map(name ->
                            name.substring(0, name.length() - ".class".length()).replace('/', '.'))
                    .sorted()
                    .toList()
                    .stream()
                    .<Class<?>>map(PublicApiTest::load)
                    .filter(type -> exported.contains(type.getPackageName()) && isVisible(type));
        }
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name, false, PublicApiTest.class.getClassLoader());
        } catch (ClassNotFoundException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static boolean isVisible(Class<?> type) {
        return Modifier.isPublic(type.getModifiers())
                && (type.getEnclosingClass() == null || isVisible(type.getEnclosingClass()));
    }

    /** Methods that a class has from one that is not public are its own for its callers. */
    private static Stream<String> linesOf(Class<?> type) {
        Stream<String> members = Stream.of(type.getMethods(), type.getConstructors(), type.getFields())
                .flatMap(Arrays::stream)
                .filter(member -> !((Member) member).isSynthetic() && isOurs(((Member) member).getDeclaringClass()))
                .map(member ->
                        "  " + (member instanceof Executable executable ? executable.toGenericString() : field(member)))
                .distinct()
                .sorted();
        // JDK 17 does not print it.
        String plain = type.toGenericString().replaceAll("(non-)?sealed ", "");
        return Stream.concat(Stream.of((type.isSealed() ? "sealed " : "") + plain), members);
    }

    /** What the JDK adds to its own classes is no change of this library. */
    private static boolean isOurs(Class<?> type) {
        return type.getPackageName().startsWith(PublicApiTest.class.getPackageName());
    }

    private static String field(Object member) {
        return ((Field) member).toGenericString();
    }
}
