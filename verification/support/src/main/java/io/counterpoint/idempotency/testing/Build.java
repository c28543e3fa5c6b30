package io.counterpoint.idempotency.testing;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/**
 * The Maven build that started this JVM. All JVMs of the build share one server of each kind, which stops when the
 * build ends. A JVM that was not started by a build, for example by an editor, has its own servers.
 */
record Build(long pid, long started) {

    private static final String PREFIX = "build-";
    private static final String MAVEN = "org.codehaus.plexus.classworlds.launcher.Launcher";

    /**
     * Precedes the command of a server. The server's standard input ends with the build, and its data is then deleted.
     */
    private static final String LIFELINE = """
            build=$0 data=$1
            shift
            # A process of another user cannot be signalled, but seen.
            while kill -0 "$build" 2>/dev/null || [ -d "/proc/$build" ]; do sleep 1; done | "$@"
            rm -rf "$data"
            """;

    static Optional<Build> current() {
        return Stream.iterate(
                        ProcessHandle.current().parent(),
                        Optional::isPresent,
                        each -> each.flatMap(ProcessHandle::parent))
                .flatMap(Optional::stream)
                .filter(each -> each.info().commandLine().orElse("").contains(MAVEN))
                .findFirst()
                .map(maven -> new Build(maven.pid(), startOf(maven)));
    }

    private static long startOf(ProcessHandle process) {
        return process.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
    }

    /** Whether a folder belongs to a build that has ended. */
    static boolean hasEnded(Path folder) {
        String[] parts = folder.getFileName().toString().split("-", -1);
        return parts[0].concat("-").equals(PREFIX)
                && ProcessHandle.of(Long.parseLong(parts[1]))
                        .filter(process -> startOf(process) == Long.parseLong(parts[2]))
                        .isEmpty();
    }

    /** The folder for the build's servers. */
    Path folder(WorkFolder workFolder) throws IOException {
        Path folder = workFolder.resolve(PREFIX + pid + "-" + started);
        Files.createDirectories(folder);
        return folder;
    }

    /**
     * Returns the URL of the build's server of a kind. The first JVM that needs the server starts it.
     *
     * @param start starts the server, and returns its URL
     */
    String server(String kind, Callable<String> start) throws IOException {
        Path folder = folder(WorkFolder.open());
        Path url = folder.resolve(kind + ".url");
        try (FileChannel lock =
                FileChannel.open(folder.resolve(kind + ".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            lock.lock();
            if (!Files.exists(url)) {
                Path partial = Files.writeString(folder.resolve(kind + ".partial"), start.call());
                Files.move(partial, url, StandardCopyOption.ATOMIC_MOVE);
            }
            return Files.readString(url);
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException(e);
        }
    }

    /** The words to put before the command of one of this build's servers. */
    List<String> lifeline(Path data) {
        return List.of("sh", "-c", LIFELINE, Long.toString(pid), data.toString());
    }
}
