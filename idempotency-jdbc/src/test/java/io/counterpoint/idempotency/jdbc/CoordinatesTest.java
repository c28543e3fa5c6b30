package io.counterpoint.idempotency.jdbc;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.testing.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Coordinates in the documentation, for Maven and for Gradle, are those of the build files. */
class CoordinatesTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private static final Pattern GRADLE = Pattern.compile("['\"`(]([a-z.]+):([a-z0-9-]+):([0-9][\\w.-]*)");
    private static final Pattern MAVEN =
            Pattern.compile("<artifactId>([^<]+)</artifactId>\\s*<version>([^<]+)</version>");

    /** Artifacts of others, and the properties of the build that have their versions. */
    private static final Map<String, String> PROPERTIES = Map.ofEntries(
            entry("postgresql", "postgresql"),
            entry("h2", "h2"),
            entry("jdbi3-core", "jdbi"),
            entry("jetty-ee11-servlet", "jetty"),
            entry("hsqldb", "hsqldb"),
            entry("HikariCP", "hikaricp"),
            entry("kafka-clients", "kafka"),
            entry("junit-jupiter", "junit"),
            entry("kotlin-maven-plugin", "kotlin"),
            entry("quarkus-bom", "quarkus"),
            entry("quarkus-maven-plugin", "quarkus"),
            entry("spring-boot-starter-parent", "spring-boot"),
            entry("kotlinx-coroutines-core-jvm", "kotlinx-coroutines"));

    private record Coordinates(String page, String artifact, String version) {}

    @Test
    void coordinatesOnPagesAreThoseOfTheBuild() throws IOException {
        String build = Files.readString(ROOT.resolve("pom.xml"));
        String version = version(build);
        Map<String, String> others = new TreeMap<>(Map.of(
                "maven-surefire-plugin", only("maven-surefire-plugin</artifactId>\\s*<version>(.*)</version>", build)));
        PROPERTIES.forEach((artifact, property) ->
                others.put(artifact, only("<" + property + ".version>(.*)</" + property + ".version>", build)));
        Set<String> published = artifacts(Files.readString(ROOT.resolve("extensions/idempotency-bom/pom.xml")));

        List<Coordinates> wrong = new ArrayList<>();
        List<Coordinates> all = coordinates();
        for (Coordinates each : all) {
            boolean ours = published.contains(each.artifact()) && each.version().equals(version);
            boolean theirs = each.version().equals(others.get(each.artifact()));
            if (!ours && !theirs) {
                wrong.add(each);
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(all).hasSizeGreaterThan(10);
    }

    /** What is published is what the list of versions names. */
    @Test
    void everyPublishedModuleIsInTheListOfVersions() throws IOException {
        Set<String> published = new TreeSet<>();
        for (Path file : SourceTree.files(ROOT)) {
            if (file.endsWith("pom.xml")) {
                String build = Files.readString(file);
                if (build.contains("<maven.deploy.skip>false<")) {
                    published.add(only("(?m)^  <artifactId>(.*)</artifactId>$", build));
                }
            }
        }
        assertThat(artifacts(Files.readString(ROOT.resolve("extensions/idempotency-bom/pom.xml"))))
                .isEqualTo(published);
    }

    /** What a release has to change besides its number. */
    @Test
    void pagesOfAReleaseDoNotSayThatThereIsNone() throws IOException {
        boolean released = !version(Files.readString(ROOT.resolve("pom.xml"))).endsWith("-SNAPSHOT");
        Pattern denial = Pattern.compile("-SNAPSHOT|(?:It|0\\.1\\.0) is not released|\\*\\* \\| not released");

        assertThat(pages().entrySet())
                .filteredOn(page -> released && denial.matcher(page.getValue()).find())
                .extracting(Map.Entry::getKey)
                .isEmpty();
    }

    private static List<Coordinates> coordinates() throws IOException {
        List<Coordinates> all = new ArrayList<>();
        pages().forEach((name, text) -> {
            for (Matcher found = MAVEN.matcher(text); found.find(); ) {
                all.add(new Coordinates(name, found.group(1), found.group(2)));
            }
            for (Matcher found = GRADLE.matcher(text); found.find(); ) {
                all.add(new Coordinates(name, found.group(2), found.group(3)));
            }
        });
        return all;
    }

    /** The texts of the pages by their names. */
    private static Map<String, String> pages() throws IOException {
        Map<String, String> pages = new TreeMap<>();
        try (Stream<Path> files = Files.walk(ROOT.resolve("docs"))) {
            for (Path page : Stream.concat(Stream.of(ROOT.resolve("README.md")), files)
                    .filter(file -> file.toString().endsWith(".md"))
                    .toList()) {
                pages.put(ROOT.relativize(page).toString(), Files.readString(page));
            }
        }
        return pages;
    }

    /** The artifacts that a build file names, the list of versions itself included. */
    private static Set<String> artifacts(String build) {
        return Pattern.compile("<artifactId>(idempotency-[^<]+)</artifactId>")
                .matcher(build)
                .results()
                .map(found -> found.group(1))
                .filter(name -> !name.equals("idempotency-parent"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String version(String build) {
        return only("(?m)^  <version>(.*)</version>$", build);
    }

    private static String only(String pattern, String text) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map((MatchResult found) -> found.group(1))
                .findFirst()
                .orElseThrow();
    }
}
