package io.counterpoint.idempotency.upgrades;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/** The classes of one version, and how to run a program of this module with them. */
record Version(String name, String classPath) {

    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
    private static final String PROGRAMS = "verification/upgrades/src/test/java/io/counterpoint/idempotency/upgrades";

    /** The last commit whose programs use the API of the earlier versions. */
    private static final String OLD_API = "d4ecbf7bcef1e103f26857af9e9ae60423c75c78";

    private static final List<String> MODULES = List.of("idempotency-core", "idempotency-jdbc");

    /** The version of this build. */
    static Version current() {
        return new Version("new", System.getProperty("java.class.path"));
    }

    /** The version of a commit, built from the repository's history into a folder. */
    static Version of(String commit, Path folder) throws IOException, InterruptedException {
        Path sources = Files.createDirectories(folder.resolve("sources"));
        Path classes = Files.createDirectories(folder.resolve("classes"));
        export(commit, MODULES.stream().map(module -> module + "/src/main").toList(), sources);
        export(OLD_API, List.of(PROGRAMS + "/UpgradeWorker.java", PROGRAMS + "/RecordWriter.java"), sources);
        List<String> arguments = new ArrayList<>(
                List.of("-proc:none", "-nowarn", "-encoding", "UTF-8", "-d", classes.toString(), "-cp", libraries()));
        addSources(sources, arguments);
        int failed = ToolProvider.getSystemJavaCompiler().run(null, null, System.err, arguments.toArray(String[]::new));
        if (failed != 0) {
            throw new IllegalStateException("The sources of " + commit + " do not compile.");
        }
        return new Version("old", classes + File.pathSeparator + resources(sources) + libraries());
    }

    private static void export(String commit, List<String> paths, Path folder)
            throws IOException, InterruptedException {
        Path archive = folder.resolve(commit + ".tar");
        List<String> export = new ArrayList<>(List.of("git", "archive", "--output=" + archive, commit));
        export.addAll(paths);
        run(ROOT, export);
        run(folder, List.of("tar", "-xf", archive.toString()));
    }

    private static void addSources(Path sources, List<String> arguments) throws IOException {
        try (Stream<Path> files = Files.walk(sources)) {
            files.map(Path::toString)
                    .filter(file -> file.endsWith(".java") && !file.endsWith("module-info.java"))
                    .forEach(arguments::add);
        }
    }

    private static String resources(Path sources) {
        StringBuilder folders = new StringBuilder();
        for (String module : MODULES) {
            folders.append(sources.resolve(module).resolve("src/main/resources"))
                    .append(File.pathSeparator);
        }
        return folders.toString();
    }

    /** What all versions use: all but this project's own classes. */
    private static String libraries() {
        List<String> libraries = Arrays.stream(
                        System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> !entry.startsWith(ROOT.toString()) && !entry.contains("/counterpoint/"))
                .toList();
        return String.join(File.pathSeparator, libraries);
    }

    /** The file of this version's table. */
    static String schema(String commit, String file) throws IOException, InterruptedException {
        return run(
                ROOT,
                List.of(
                        "git",
                        "show",
                        commit + ":idempotency-jdbc/src/main/resources/io/counterpoint/idempotency/jdbc/" + file));
    }

    Process start(Class<?> program, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx128m",
                "-cp",
                classPath,
                program.getName()));
        command.addAll(List.of(arguments));
        // Warnings of the table's layout go there.
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private static String run(Path folder, List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IllegalStateException(String.join(" ", command) + ": " + output);
        }
        return output;
    }

    @Override
    public String toString() {
        return name;
    }
}
