package io.counterpoint.idempotency.torture;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/**
 * Starts workers, and makes sure that none is left over. Workers are short-lived, so they start from an archive of
 * their loaded classes. That requires jars, so folders on the class path are packed first.
 */
final class Fleet implements AutoCloseable {

    /** Since this version, Java can store more than classes for the next start. */
    private static final int AOT_SINCE = 25;

    private final Path folder;
    private final String classPath;
    private final Path archive;
    private final Set<WorkerProcess> running = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    Fleet(Path folder) throws IOException {
        this.folder = folder;
        this.classPath = classPathOfJars(folder);
        this.archive = folder.resolve("workers.jsa");
        Runtime.getRuntime().addShutdownHook(new Thread(this::close, "end workers"));
    }

    static boolean hasVirtualThreads() {
        return Runtime.version().feature() >= 21;
    }

    private static String classPathOfJars(Path folder) throws IOException {
        List<String> jars = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            Path path = Path.of(entry).toAbsolutePath();
            if (Files.isDirectory(path)) {
                Path jar = folder.resolve("folder-" + jars.size() + ".jar");
                pack(path, jar);
                jars.add(jar.toString());
            } else if (Files.exists(path)) {
                jars.add(path.toString());
            }
        }
        return String.join(File.pathSeparator, jars);
    }

    private static void pack(Path tree, Path jar) throws IOException {
        try (Stream<Path> files = Files.walk(tree);
                OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file)) {
            for (Path path : files.filter(Files::isRegularFile).sorted().toList()) {
                out.putNextEntry(new JarEntry(tree.relativize(path).toString().replace(File.separatorChar, '/')));
                Files.copy(path, out);
            }
        }
    }

    /**
     * Runs a first worker and archives the classes that it loaded. Without the archive, workers only start more slowly.
     */
    void learn(WorkerOptions orders, Ledger.Listener listener) throws IOException, InterruptedException {
        String option = Runtime.version().feature() >= AOT_SINCE ? "-XX:AOTCacheOutput=" : "-XX:ArchiveClassesAtExit=";
        boolean unused = start(orders.id(), Worker.class, orders.toArguments(), option, orders.history(), listener)
                .awaitEnd(120_000);
    }

    WorkerProcess start(WorkerOptions orders, Ledger.Listener listener) throws IOException {
        return start(orders.id(), Worker.class, orders.toArguments(), orders.history(), listener);
    }

    /** Starts another program that takes a worker's orders and writes a history, according to its arguments. */
    WorkerProcess start(String id, Class<?> program, List<String> arguments, Path history, Ledger.Listener listener)
            throws IOException {
        String option = Runtime.version().feature() >= AOT_SINCE ? "-XX:AOTCache=" : "-XX:SharedArchiveFile=";
        return start(id, program, arguments, option, history, listener);
    }

    private WorkerProcess start(
            String id, Class<?> program, List<String> arguments, String option, Path history, Ledger.Listener listener)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                option + archive,
                "-Xlog:disable",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx96m",
                "-Xss512k",
                // Otherwise Java silently repeats a request, and delays its response.
                "-Dsun.net.http.retryPost=false",
                "-Dsun.net.httpserver.nodelay=true",
                "-cp",
                classPath,
                program.getName()));
        command.addAll(arguments);
        Path errors = errors(folder, id);
        WorkerProcess worker = new WorkerProcess(
                id,
                new ProcessBuilder(command).redirectError(errors.toFile()).start(),
                errors,
                new HistoryReader(history, listener),
                listener);
        running.add(worker);
        worker.onEnd(() -> running.remove(worker));
        if (closed) {
            worker.kill();
        }
        return worker;
    }

    /** The file with a worker's standard error. */
    static Path errors(Path folder, String worker) {
        return folder.resolve("worker-" + worker + ".err");
    }

    /** Kills all running workers. */
    @Override
    public void close() {
        closed = true;
        running.forEach(WorkerProcess::kill);
    }
}
