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
 * A program of this one's classes, to be run by the same Java in a process of its own. It says when it works, and ends when
 * its standard input ends. So it does not outlive the process that started it.
 *
 * @param name how log lines call it
 * @param main its class with a {@code main}
 * @param ready the beginning of the line by which it says that it works
 * @param options of its JVM, besides those that let it start fast
 * @param environment what it finds there besides the environment of this process
 */
public record JavaProgram(
        String name,
        Class<?> main,
        String ready,
        List<String> options,
        List<String> arguments,
        Map<String, String> environment) {

    /** What starts it as a process, whose errors come with its output. */
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

    /** Where the class comes from: a build may run a program in its own JVM, whose class path is the build's. */
    private String classPath() {
        if (!(main.getClassLoader() instanceof URLClassLoader loader)) {
            return System.getProperty("java.class.path");
        }
        return Arrays.stream(loader.getURLs())
                .map(url -> Path.of(URI.create(url.toString())).toString())
                .collect(Collectors.joining(File.pathSeparator));
    }
}
