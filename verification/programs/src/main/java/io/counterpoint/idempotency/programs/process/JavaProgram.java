package io.counterpoint.idempotency.programs.process;

import java.io.File;
import java.net.URI;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A program that is run by the same Java in a separate process. It says when it is ready, and exits when its standard
 * input ends, so it does not outlive its parent.
 *
 * @param name its name in the log
 * @param main its main class
 * @param ready the prefix of the line that says that it is ready
 * @param options the options of its JVM, besides those for a fast start
 * @param environment variables to add to the environment of this process
 */
public record JavaProgram(
        String name,
        Class<?> main,
        String ready,
        List<String> options,
        List<String> arguments,
        Map<String, String> environment) {

    /** Returns a builder for the process, whose standard error is merged into its output. */
    public ProcessBuilder builder() {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC"));
        command.addAll(options);
        command.addAll(List.of("-cp", classPath(), main.getName()));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        return builder;
    }

    /** The location of the class. A build may run a program in its own JVM, whose class path is the build's. */
    private String classPath() {
        if (!(main.getClassLoader() instanceof URLClassLoader loader)) {
            return System.getProperty("java.class.path");
        }
        return Arrays.stream(loader.getURLs())
                .map(url -> Path.of(URI.create(url.toString())).toString())
                .collect(Collectors.joining(File.pathSeparator));
    }
}
