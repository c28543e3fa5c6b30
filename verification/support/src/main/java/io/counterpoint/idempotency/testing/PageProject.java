package io.counterpoint.idempotency.testing;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/** The project on a page: each file follows a line that begins with its path. It is compiled, and run in processes. */
public final class PageProject {

    private static final Pattern FILE = Pattern.compile("(?ms)^`([\\w./-]+)`[^\\n]*\\n\\n```\\w+\\n(.*?)^```");

    private final Path folder;
    private final String classPath;

    private PageProject(Path folder, String classPath) {
        this.folder = folder;
        this.classPath = classPath;
    }

    /**
     * Writes the files on a page to a folder, and compiles them.
     *
     * @param dependencies which entries of this JVM's class path to include
     * @throws AssertionError if the page has no files, or one does not compile
     */
    public static PageProject of(Path page, Path folder, Predicate<String> dependencies) throws IOException {
        List<String> sources = new ArrayList<>();
        for (Matcher found = FILE.matcher(Files.readString(page)); found.find(); ) {
            Path file = folder.resolve(found.group(1));
            Files.createDirectories(file.getParent());
            Files.writeString(file, found.group(2));
            if (file.toString().endsWith(".java")) {
                sources.add(file.toString());
            }
        }
        Path classes = folder.resolve("classes");
        String classPath = Stream.concat(
                        Stream.of(classes, folder.resolve("src/main/resources")).map(Path::toString),
                        Stream.of(System.getProperty("java.class.path", "").split(File.pathSeparator, -1))
                                .filter(dependencies))
                .collect(Collectors.joining(File.pathSeparator));
        List<String> arguments =
                new ArrayList<>(List.of("-proc:none", "-parameters", "-d", classes.toString(), "-cp", classPath));
        arguments.addAll(sources);
        if (sources.isEmpty()
                || ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)) != 0) {
            throw new AssertionError(page + " has " + sources.size() + " sources in Java, and they do not compile.");
        }
        return new PageProject(folder, classPath);
    }

    /**
     * Runs a main method in the project's folder. Errors go to this JVM's standard error.
     *
     * @param arguments system properties, a class, and the arguments of its main method
     */
    public Process start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                classPath));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }
}
